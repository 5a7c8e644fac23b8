import type { Body } from '../../http/server.ts'
import { isObject, type JsonObject, parseObject } from '../../http/validation.ts'
import type { Module } from './runtime-options.ts'

/** A parsed form: an object of settings, and modules. */
interface Form {
  readonly settings: JsonObject
  readonly modules: readonly Module[]
}

interface Tree {
  [key: string]: unknown
}

/** Limits the recursion for hostile field names. */
const maxDepth = 16

const own = (tree: Tree, key: string): unknown => (Object.hasOwn(tree, key) ? tree[key] : undefined)

/**
 * Puts the value of a field such as `metadata[bindings][][name]` into a tree. As in Rack, `[]` is the last element of a
 * list, or a new one if the last element already has the field.
 */
function place(tree: Tree, keys: readonly string[], value: unknown): void {
  const [key = '', next, ...rest] = keys
  if (next === undefined) {
    tree[key] = value
    return
  }
  if (next !== '') {
    const below = own(tree, key)
    const branch: Tree = isObject(below) ? (below as Tree) : {}
    tree[key] = branch
    place(branch, [next, ...rest], value)
    return
  }
  const existing = own(tree, key)
  const list: unknown[] = Array.isArray(existing) ? existing : []
  tree[key] = list
  const field = rest[0]
  if (field === undefined) {
    list.push(value)
    return
  }
  const last: unknown = list.at(-1)
  const taken = !isObject(last) || (Object.hasOwn(last, field) && rest.length === 1)
  const element: Tree = taken ? {} : (last as Tree)
  if (taken) list.push(element)
  place(element, rest, value)
}

const textOnly = /^\[bindings\]/

/** Converts numbers and booleans, which a form sends as text. The values of bindings stay text. */
function fieldValue(path: string, text: string): unknown {
  if (textOnly.test(path)) return text
  if (text === 'true' || text === 'false') return text === 'true'
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

const boundaryLine = /^--([^\r\n]{1,70})\r?\n/

/** Returns the media type of a form. SDK 7 sends no boundary, so it is then read from the body. */
function typeOf(declared: string, bytes: Buffer): string | null {
  if (/^multipart\/form-data\s*;/i.test(declared)) return declared
  const boundary = boundaryLine.exec(bytes.subarray(0, 80).toString('latin1'))?.[1]
  return boundary === undefined ? null : `multipart/form-data; boundary=${boundary}`
}

async function parse(type: string, bytes: Buffer): Promise<FormData | null> {
  try {
    return await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
  } catch {
    return null
  }
}

/** Returns the name by which other modules import a part. In a list of files, that is the file name. */
const moduleName = (part: string, file: File): string =>
  part.startsWith('files[') || part === 'files' ? file.name : part

/** Whether a body is a form, whatever its Content-Type. */
export const isForm = (declared: string, body: Body): boolean =>
  body.kind === 'text' && typeOf(declared, body.bytes) !== null

/**
 * Parses a form.
 * @param declared the Content-Type of the request
 * @param part the name of the settings: either one JSON part, or the prefix of one field per value
 * @returns null if the form is invalid
 */
export async function readForm(declared: string, body: Body, part: string): Promise<Form | null> {
  const type = body.kind === 'text' ? typeOf(declared, body.bytes) : null
  const form = type === null || body.kind !== 'text' ? null : await parse(type, body.bytes)
  if (form === null) return null
  const fields: Tree = {}
  const modules: Module[] = []
  let settings: JsonObject | null = null
  for (const [name, value] of form.entries()) {
    if (name === part) {
      settings = parseObject(typeof value === 'string' ? value : await value.text())
      if (settings === null) return null
    } else if (typeof value !== 'string') {
      const content = Buffer.from(await value.arrayBuffer())
      modules.push({ name: moduleName(name, value), type: value.type || 'application/octet-stream', content })
    } else if (name.startsWith(`${part}[`)) {
      const path = name.slice(part.length)
      const keys = [...path.matchAll(/\[([^\]]*)\]/g)].map(([, key]) => key ?? '')
      if (keys.length > maxDepth) return null
      place(fields, keys, fieldValue(path, value))
    } else {
      modules.push({ name, type: 'application/javascript+module', content: Buffer.from(value) })
    }
  }
  return { settings: settings ?? fields, modules }
}
