import type { Body } from '../../http/server.ts'
import { isObject, type JsonObject } from '../../http/validation.ts'
import type { Module } from './runtime-options.ts'

/** A form with files in it: one object of settings, and code. */
export type Form = { readonly settings: JsonObject; readonly modules: readonly Module[] }

type Tree = { [key: string]: unknown }

/** No setting lies deeper. */
const deepest = 16

const own = (tree: Tree, key: string): unknown => (Object.hasOwn(tree, key) ? tree[key] : undefined)

/**
 * Puts a field whose name spells a place (`metadata[bindings][][name]`) into a tree. As Rack reads such names: `[]` is
 * the last element of a list, or a new one when that has the field already.
 */
const place = (tree: Tree, keys: readonly string[], value: unknown): void => {
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
  const present = own(tree, key)
  const list: unknown[] = Array.isArray(present) ? present : []
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

const textual = /^\[bindings\]/

/** A field is text; outside of bindings, whose values are text, what reads as a number or a truth is meant as one. */
const fieldValue = (path: string, text: string): unknown => {
  if (textual.test(path)) return text
  if (text === 'true' || text === 'false') return text === 'true'
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

const boundaryLine = /^--([^\r\n]{1,70})\r?\n/

/** The media type of a form; the official SDK 7 sends scripts under one that names no boundary, which is then read off the body. */
const typeOf = (declared: string, bytes: Buffer): string | undefined => {
  if (/^multipart\/form-data\s*;/i.test(declared)) return declared
  const boundary = boundaryLine.exec(bytes.subarray(0, 80).toString('latin1'))?.[1]
  return boundary === undefined ? undefined : `multipart/form-data; boundary=${boundary}`
}

const parse = async (type: string, bytes: Buffer): Promise<FormData | undefined> => {
  try {
    return await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
  } catch {
    return undefined
  }
}

/** A part's name as other modules import it; those in a list of files go by the file's. */
const moduleName = (part: string, file: File): string =>
  part.startsWith('files[') || part === 'files' ? file.name : part

const parseObject = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a body is a form, whatever is said of it. */
export const isForm = (declared: string, body: Body): boolean =>
  body.kind === 'text' && typeOf(declared, body.bytes) !== undefined

/**
 * Reads a form.
 * @param declared the request's Content-Type
 * @param part the name of the part with the settings: JSON, or one field for each value
 * @returns undefined when it cannot be read
 */
export const readForm = async (declared: string, body: Body, part: string): Promise<Form | undefined> => {
  const type = body.kind === 'text' ? typeOf(declared, body.bytes) : undefined
  const form = type === undefined || body.kind !== 'text' ? undefined : await parse(type, body.bytes)
  if (form === undefined) return undefined
  const spelt: Tree = {}
  const modules: Module[] = []
  let settings: JsonObject | undefined
  for (const [name, value] of form.entries()) {
    if (name === part) {
      settings = parseObject(typeof value === 'string' ? value : await value.text())
      if (settings === undefined) return undefined
    } else if (typeof value !== 'string') {
      const content = Buffer.from(await value.arrayBuffer())
      modules.push({ name: moduleName(name, value), type: value.type || 'application/octet-stream', content })
    } else if (name.startsWith(`${part}[`)) {
      const path = name.slice(part.length)
      const keys = [...path.matchAll(/\[([^\]]*)\]/g)].map(([, key]) => key ?? '')
      if (keys.length > deepest) return undefined
      place(spelt, keys, fieldValue(path, value))
    } else {
      modules.push({ name, type: 'application/javascript+module', content: Buffer.from(value) })
    }
  }
  return { settings: settings ?? spelt, modules }
}
