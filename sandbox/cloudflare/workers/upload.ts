import { createHash } from 'node:crypto'
import { formatInstant } from '../../http/clock.ts'
import { isRefusal, type Refusal } from '../errors.ts'
import type { Call } from '../route.ts'
import { readBindings } from './bindings.ts'
import { bodyUnreadable, scriptInvalid } from './errors.ts'
import { readForm } from './form.ts'
import { isModule, type Module } from './runtime-options.ts'
import { type Script, settingsIn } from './script.ts'

interface Upload {
  readonly metadata: Script['settings']
  readonly modules: readonly Module[]
}

async function readParts({ headers, body }: Call): Promise<Upload | null> {
  const form = await readForm(headers['content-type'] ?? '', body, 'metadata')
  if (form === null) return null
  return { metadata: form.settings, modules: form.modules }
}

/** Refuses an upload without an entry module. Only the runtime can tell whether it starts. */
function refuseUpload({ metadata, modules }: Upload): Refusal | null {
  const { main_module: entry } = metadata
  if (typeof entry !== 'string') return scriptInvalid('The metadata has no main_module.')
  const [found, ...others] = modules
  // The service takes several. A Worker of Homeport is one.
  if (found?.name !== entry || others.length > 0)
    return scriptInvalid(`The upload must have one module, "${entry}".`)
  return isModule(found.type)
    ? null
    : scriptInvalid(`The part "${entry}" has type ${found.type}, which is not a module type.`)
}

function etagOf(modules: readonly Module[]): string {
  const hash = createHash('sha256')
  for (const { name, content } of modules) hash.update(`${name}\0`).update(content)
  return hash.digest('hex')
}

/** Reads the upload of a script. */
export async function readUpload(call: Call, name: string): Promise<Script | Refusal> {
  const { workers, databases, clock, ids } = call.parts
  const upload = await readParts(call)
  if (upload === null) return bodyUnreadable
  const refusal = refuseUpload(upload)
  if (refusal) return refusal
  const previous = workers.scripts.get(name)
  const { bindings: sent, keep_bindings: keep = [], main_module: main } = upload.metadata
  const bindings = readBindings(sent, keep, previous, databases)
  if (isRefusal(bindings)) return bindings
  const now = formatInstant(clock.now())
  return {
    name,
    modules: upload.modules,
    mainModule: String(main),
    bindings,
    settings: settingsIn(upload.metadata),
    etag: etagOf(upload.modules),
    versionId: ids.uuid(),
    createdOn: previous?.createdOn ?? now,
    modifiedOn: now,
  }
}
