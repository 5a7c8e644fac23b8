import type { Body } from '../../http/server.ts'
import { type JsonObject, parseObject } from '../../http/validation.ts'
import type { Module } from './runtime-options.ts'

/** A parsed form: an object of settings, and modules. */
interface Form {
  readonly settings: JsonObject
  readonly modules: readonly Module[]
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

/**
 * Parses a form.
 * @param declared the Content-Type of the request
 * @param part the name of the JSON part with the settings
 * @returns null if the form is invalid
 */
export async function readForm(declared: string, body: Body, part: string): Promise<Form | null> {
  if (body.kind !== 'text') return null
  const form = await parse(declared, body.bytes)
  if (form === null) return null
  const modules: Module[] = []
  let settings: JsonObject | null = {}
  for (const [name, value] of form.entries()) {
    if (name === part) {
      settings = parseObject(typeof value === 'string' ? value : await value.text())
      if (settings === null) return null
    } else if (typeof value !== 'string') {
      const content = Buffer.from(await value.arrayBuffer())
      modules.push({ name: moduleName(name, value), type: value.type || 'application/octet-stream', content })
    } else {
      modules.push({ name, type: 'application/javascript+module', content: Buffer.from(value) })
    }
  }
  return { settings, modules }
}
