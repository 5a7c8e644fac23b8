import { createHash } from 'node:crypto'
import { formatInstant } from '../../http/clock.ts'
import { parseObject } from '../../http/validation.ts'
import type { Call } from '../route.ts'
import { readBindings } from './bindings.ts'
import { bodyUnreadable, scriptInvalid } from './errors.ts'
import { type Script, settingsIn } from './script.ts'

/** Whether a media type is that of a module. The service takes more kinds; a Worker of Homeport is one module of JavaScript. */
export const isModule = (type: string): boolean => /^application\/javascript\+module\b/i.test(type)

/** Parses the form of an upload. Returns null if it is invalid. */
async function readForm({ headers, body }: Call): Promise<FormData | null> {
  try {
    const type = headers['content-type'] ?? ''
    return await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  } catch {
    return null
  }
}

/** Reads the upload of a script. Only the runtime can tell whether it starts. */
export async function readUpload(call: Call, name: string): Promise<Script> {
  const { workers, clock } = call.parts
  const form = await readForm(call)
  const sent = form?.get('metadata')
  const metadata = typeof sent === 'string' ? parseObject(sent) : null
  if (!form || !metadata) throw bodyUnreadable
  const { main_module: mainModule } = metadata
  if (typeof mainModule !== 'string') throw scriptInvalid('The metadata has no main_module.')
  const modules = [...form].flatMap(([part, file]) => (typeof file === 'string' ? [] : [{ part, file }]))
  const [module, ...others] = modules
  // The service takes several. A Worker of Homeport is one.
  if (module?.part !== mainModule || others.length > 0)
    throw scriptInvalid(`The upload must have one module, "${mainModule}".`)
  const { file } = module
  if (!isModule(file.type))
    throw scriptInvalid(`The part "${mainModule}" has type ${file.type}, which is not a module type.`)
  const previous = workers.scripts.get(name)
  const bindings = readBindings(metadata, previous, workers)
  const code = await file.text()
  const now = formatInstant(clock.now())
  return {
    name,
    mainModule,
    code,
    bindings,
    settings: settingsIn(metadata),
    etag: createHash('sha256').update(`${mainModule}\0`).update(code).digest('hex'),
    createdOn: previous?.createdOn ?? now,
    modifiedOn: now,
  }
}
