import { createHash } from 'node:crypto'
import { formatInstant } from '../../http/clock.ts'
import type { Outcome } from '../envelope.ts'
import { isRefusal } from '../errors.ts'
import type { Call, Route } from '../route.ts'
import { isCode } from '../tokens/authentication.ts'
import { describeForm, readBindings } from './bindings.ts'
import { removeDomain } from './domain-resource.ts'
import { bodyUnreadable, scriptInvalid, scriptMissing } from './errors.ts'
import { isForm, readForm } from './form.ts'
import { WorkerStartError } from './runtime.ts'
import { databaseWorker, type Module, moduleTypeOf } from './runtime-options.ts'
import { type Script, scriptView, settingsIn } from './script.ts'
import { withScript } from './with-script.ts'

const nameRule = /^[a-z0-9_][a-z0-9_-]{0,62}$/

interface Upload {
  readonly metadata: Script['settings']
  readonly modules: readonly Module[]
}

async function readUpload({ headers, body, cite, describe }: Call): Promise<Upload | undefined> {
  const declared = headers['content-type'] ?? ''
  if (!isForm(declared, body)) {
    if (body.kind !== 'text' || !isCode(headers)) return undefined
    cite('workers.script.put.plain')
    return {
      metadata: { body_part: 'script' },
      modules: [{ name: 'script', type: 'application/javascript', content: body.bytes }],
    }
  }
  const form = await readForm(declared, body, 'metadata')
  if (form === undefined) return undefined
  if (isCode(headers)) cite('workers.script.put.sdk')
  describe(describeForm(form.settings, form.modules))
  return { metadata: form.settings, modules: form.modules }
}

/** Returns the problem of an upload, or undefined. Only the runtime can tell whether it starts. */
function problemOf({ metadata, modules }: Upload): string | undefined {
  const { main_module: main, body_part: body } = metadata
  const entry = main ?? body
  if (typeof entry !== 'string') return 'The metadata has neither a main_module nor a body_part.'
  const found = modules.find(({ name }) => name === entry)
  if (found === undefined) {
    const parts = modules.map(({ name }) => name).join(', ') || 'none'
    return `The upload has no part "${entry}". Its parts are: ${parts}.`
  }
  return moduleTypeOf(found.type) === undefined
    ? `The part "${entry}" has type ${found.type}, which is not a module type.`
    : undefined
}

function etagOf(modules: readonly Module[]): string {
  const hash = createHash('sha256')
  for (const { name, content } of modules) hash.update(`${name}\0`).update(content)
  return hash.digest('hex')
}

/** Handles PUT …/scripts/{name}. The script is live when the response is sent. */
async function putScript(call: Call): Promise<Outcome> {
  const { cite, params, parts } = call
  const { workers, databases, runtime, clock, ids } = parts
  cite('workers.script.put')
  const name = params['script'] ?? ''
  if (!nameRule.test(name) || name === databaseWorker) {
    return scriptInvalid(
      `"${name}" is not a valid name for a Worker. Use up to 63 lower-case letters, digits, - and _.`,
    )
  }
  const upload = await readUpload(call)
  if (upload === undefined) return bodyUnreadable
  const problem = problemOf(upload)
  if (problem !== undefined) return scriptInvalid(problem)
  const previous = workers.scripts.get(name)
  const { bindings: sent, keep_bindings: keep, main_module: main } = upload.metadata
  const bindings = readBindings(sent, keep, previous, databases)
  if (isRefusal(bindings)) return bindings
  const now = formatInstant(clock.now())
  const script: Script = {
    name,
    modules: upload.modules,
    mainModule: typeof main === 'string' ? main : undefined,
    bindings,
    settings: settingsIn(upload.metadata),
    etag: etagOf(upload.modules),
    versionId: ids.uuid(),
    createdOn: previous?.createdOn ?? now,
    modifiedOn: now,
  }
  const startedAt = performance.now()
  try {
    await runtime.deploy(
      () => workers.deployment(databases, script),
      () => workers.scripts.set(name, script),
    )
  } catch (error) {
    if (error instanceof WorkerStartError) return scriptInvalid(error.message)
    throw error
  }
  return {
    ok: true,
    result: { ...scriptView(script), startup_time_ms: Math.round(performance.now() - startedAt) },
  }
}

/** Handles GET …/scripts. */
function listScripts({ cite, parts: { workers } }: Call): Outcome {
  cite('workers.script.list')
  return { ok: true, result: [...workers.scripts.values()].map(scriptView) }
}

/** Handles DELETE …/scripts/{name}. Also deletes the domains and routes of the script. */
function deleteScript({ cite, params, parts }: Call): Outcome {
  cite('workers.script.delete')
  const { workers, runtime } = parts
  const name = params['script'] ?? ''
  if (!workers.scripts.delete(name)) return scriptMissing
  workers.subdomains.delete(name)
  for (const domain of workers.domains.values()) if (domain.service === name) removeDomain(parts, domain)
  for (const route of workers.routes.values()) if (route.script === name) workers.routes.delete(route.id)
  runtime.outdate()
  return { ok: true, result: null }
}

/** Handles GET …/services/{name}, which the providers use to check whether a script exists. */
function getService({ cite }: Call, script: Script): Outcome {
  cite('workers.service.get')
  const times = { created_on: script.createdOn, modified_on: script.modifiedOn }
  return {
    ok: true,
    result: {
      id: script.name,
      ...times,
      default_environment: { environment: 'production', ...times, script: scriptView(script) },
    },
  }
}

const account = '/accounts/:account/workers'

const reading = { method: 'GET', on: 'account', requires: 'workersScriptsRead' } as const
const writing = { on: 'account', requires: 'workersScriptsWrite', outside: true } as const
const item = `${account}/scripts/*script` as const

export const scriptRoutes: readonly Route[] = [
  { ...reading, pattern: `${account}/scripts`, handle: listScripts },
  { ...writing, method: 'PUT', pattern: item, takesCode: true, handle: putScript },
  { ...writing, method: 'DELETE', pattern: item, handle: deleteScript },
  { ...reading, pattern: `${account}/services/*script`, handle: withScript(getService) },
]
