import { type Outcome, success } from '../envelope.ts'
import { isRefusal, type Refusal } from '../errors.ts'
import type { Call, Route } from '../route.ts'
import { deploy, deployChange } from './deploy.ts'
import { removeDomain } from './domain-resource.ts'
import { scriptInvalid, scriptMissing } from './errors.ts'
import { databaseWorker } from './runtime-options.ts'
import { type Script, scriptView } from './script.ts'
import { readUpload } from './upload.ts'
import { withScript } from './with-script.ts'

const nameRule = /^[a-z0-9_][a-z0-9_-]{0,62}$/

/** Deploys a script, and answers with it and the time it took. */
async function answerOf(deployed: () => Promise<Script | Refusal>): Promise<Outcome> {
  const startedAt = performance.now()
  const script = await deployed()
  if (isRefusal(script)) return script
  return success({ ...scriptView(script), startup_time_ms: Math.round(performance.now() - startedAt) })
}

/** Handles PUT …/scripts/{name}. The script is live when the response is sent. */
async function putScript(call: Call): Promise<Outcome> {
  // documented: A script is uploaded as a form: its modules, and metadata with main_module or body_part, bindings and settings.
  // The response has id, etag and startup_time_ms; the script is then live. Assumed: bindings that it neither sends nor keeps
  // are removed, secrets too. [API reference, Workers Scripts; types of npm cloudflare 7.3.0]
  const name = call.params['script'] ?? ''
  if (!nameRule.test(name) || name === databaseWorker) {
    return scriptInvalid(
      `"${name}" is not a valid name for a Worker. Use up to 63 lower-case letters, digits, - and _.`,
    )
  }
  const script = await readUpload(call, name)
  return isRefusal(script) ? script : answerOf(() => deploy(call, script))
}

/** Handles PUT …/scripts/{name}/content. Bindings and settings stay. */
async function putContent(call: Call, script: Script): Promise<Outcome> {
  // documented: PUT replaces the modules of a script. Its bindings and settings stay. [API reference, Workers Scripts; types of
  // npm cloudflare 7.3.0]
  const upload = await readUpload(call, script.name)
  if (isRefusal(upload)) return upload
  const { modules, mainModule, etag } = upload
  return answerOf(() => deployChange(call, script, () => ({ modules, mainModule, etag })))
}

/** Handles GET …/scripts. */
function listScripts({ parts: { workers } }: Call): Outcome {
  // documented: All scripts are listed on one page. [API reference, Workers Scripts; types of npm cloudflare 7.3.0]
  return success([...workers.scripts.values()].map(scriptView))
}

/** Handles DELETE …/scripts/{name}. Also deletes the domains and routes of the script. */
function deleteScript({ params, parts }: Call): Outcome {
  // assumed: DELETE deletes a script with its custom domains and routes and returns a null result. [no source says]
  const { workers, runtime } = parts
  const name = params['script'] ?? ''
  if (!workers.scripts.delete(name)) return scriptMissing
  workers.subdomains.delete(name)
  workers.schedules.delete(name)
  for (const version of workers.versions.values())
    if (version.name === name) workers.versions.delete(version.versionId)
  for (const domain of workers.domains.values()) if (domain.service === name) removeDomain(parts, domain)
  for (const route of workers.routes.values()) if (route.script === name) workers.routes.delete(route.id)
  runtime.outdate()
  return success(null)
}

/** Handles GET …/services/{name}, which the providers use to check whether a script exists. */
function getService(_call: Call, script: Script): Outcome {
  // tried: A service shows the script in its default environment. A provider reads it to learn whether the script exists.
  // [Terraform provider 5.19 and 5.22, run against an emulator]
  const times = { created_on: script.createdOn, modified_on: script.modifiedOn }
  return success({
    id: script.name,
    ...times,
    default_environment: { environment: 'production', ...times, script: scriptView(script) },
  })
}

const account = '/accounts/:account/workers'

const reading = { method: 'GET', on: 'account', requires: 'workersScriptsRead' } as const
const writing = { on: 'account', requires: 'workersScriptsWrite', outside: true } as const
const item = `${account}/scripts/*script` as const

export const scriptRoutes: readonly Route[] = [
  { ...reading, pattern: `${account}/scripts`, handle: listScripts },
  { ...writing, method: 'PUT', pattern: item, takesCode: true, handle: putScript },
  {
    ...writing,
    method: 'PUT',
    pattern: `${item}/content`,
    takesCode: true,
    handle: withScript(putContent),
  },
  { ...writing, method: 'DELETE', pattern: item, handle: deleteScript },
  { ...reading, pattern: `${account}/services/*script`, handle: withScript(getService) },
]
