import { type JsonObject, parseObject } from '../../http/validation.ts'
import type { Module } from './runtime-options.ts'

/** A parsed form: an object of settings, and modules. */
interface Form {
  readonly settings: JsonObject
  readonly modules: readonly Module[]
}

async function parse(type: string, body: Buffer): Promise<FormData | null> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  } catch {
    return null
  }
}

/**
 * Parses a form.
 * @param declared the Content-Type of the request
 * @param part the name of the JSON part with the settings
 * @returns null if the form is invalid
 */
export async function readForm(declared: string, body: Buffer, part: string): Promise<Form | null> {
  const form = await parse(declared, body)
  const sent = form?.get(part)
  const settings = typeof sent === 'string' ? parseObject(sent) : null
  if (!form || !settings) return null
  const modules: Module[] = []
  for (const [name, value] of form.entries()) {
    if (typeof value === 'string') continue
    modules.push({ name, type: value.type, content: Buffer.from(await value.arrayBuffer()) })
  }
  return { settings, modules }
}
