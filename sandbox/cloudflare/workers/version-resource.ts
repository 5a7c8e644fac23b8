import { isObject } from '../../http/validation.ts'
import { type Outcome, success } from '../envelope.ts'
import { isRefusal } from '../errors.ts'
import { parseBody } from '../request-body.ts'
import type { Call, Route } from '../route.ts'
import { deploy } from './deploy.ts'
import { bodyUnreadable, versionMissing } from './errors.ts'
import { bindingView, type Script, scriptSettingsIn } from './script.ts'
import { readUpload } from './upload.ts'
import { withScript } from './with-script.ts'

/** Handles POST …/versions. The version has started once, and is live after it is deployed. */
async function postVersion(call: Call, { name }: Script): Promise<Outcome> {
  const { workers, runtime } = call.parts
  // documented: POST uploads a version, which is not live until it is deployed. Secrets that the script has are kept. [API
  // reference, Workers Scripts; types of npm cloudflare 7.3.0; wrangler 4.86.0, help of deploy: a deployment never deletes
  // secrets]
  const uploaded = await readUpload(call, name, ['secret_text'])
  if (isRefusal(uploaded)) return uploaded
  const startedAt = performance.now()
  const version = await deploy(call, uploaded, {
    commit: started => {
      workers.versions.set(started.versionId, started)
      // The live version runs again from the next request on.
      runtime.outdate()
    },
  })
  if (isRefusal(version)) return version
  const { versionId: id, etag, bindings, modifiedOn: created_on, settings } = version
  return success({
    id,
    metadata: { created_on, modified_on: created_on, source: 'api' },
    resources: { script: { etag }, bindings: bindings.map(bindingView), script_runtime: settings },
    startup_time_ms: Math.round(performance.now() - startedAt),
  })
}

const deploymentView = ({ modifiedOn, versionId }: Script) => ({
  id: versionId,
  source: 'api',
  strategy: 'percentage',
  author_email: 'admin@example.com',
  created_on: modifiedOn,
  versions: [{ version_id: versionId, percentage: 100 }],
})

/** Handles GET …/deployments. All traffic goes to the last version. */
function listDeployments(_call: Call, script: Script): Outcome {
  // documented: GET returns one deployment, which sends all traffic to the last version. Every upload and change is a version.
  // [API reference, Workers Scripts; types of npm cloudflare 7.3.0]
  return success({ deployments: [deploymentView(script)] })
}

/** Handles POST …/deployments. The script-level settings stay. */
async function postDeployment(call: Call, script: Script): Promise<Outcome> {
  const { workers } = call.parts
  // documented: POST makes a version live. It gets all traffic; several versions at once are refused here. [API reference,
  // Workers Scripts; types of npm cloudflare 7.3.0; wrangler 4.86.0, run against the sandbox]
  const { versions } = parseBody(call.body) ?? {}
  const [wanted, ...others] = Array.isArray(versions) ? versions : []
  if (!isObject(wanted) || wanted['percentage'] !== 100 || others.length > 0) return bodyUnreadable
  const version = workers.versions.get(String(wanted['version_id']))
  if (version?.name !== script.name) return versionMissing
  const attempt = () => {
    const { settings, createdOn } = workers.scripts.get(script.name) ?? script
    return { ...version, createdOn, settings: { ...version.settings, ...scriptSettingsIn(settings) } }
  }
  const deployed = await deploy(call, version, { attempt })
  return isRefusal(deployed) ? deployed : success(deploymentView(deployed))
}

/** Handles PATCH …/script-settings, which are not part of a version. */
function patchScriptSettings({ body, parts: { workers } }: Call, script: Script): Outcome {
  // documented: PATCH changes the settings that belong to the script and not to a version: logpush, observability, tags and
  // tail_consumers. [API reference, Workers Scripts; types of npm cloudflare 7.3.0]
  const sent = parseBody(body)
  if (sent === null) return bodyUnreadable
  const settings = { ...script.settings, ...scriptSettingsIn(sent) }
  workers.scripts.set(script.name, { ...script, settings })
  return success(scriptSettingsIn(settings))
}

const script = '/accounts/:account/workers/scripts/*script'
const writing = { on: 'account', requires: 'workersScriptsWrite', outside: true } as const

export const versionRoutes: readonly Route[] = [
  { ...writing, method: 'POST', pattern: `${script}/versions`, handle: withScript(postVersion) },
  {
    method: 'GET',
    on: 'account',
    requires: 'workersScriptsRead',
    pattern: `${script}/deployments`,
    handle: withScript(listDeployments),
  },
  { ...writing, method: 'POST', pattern: `${script}/deployments`, handle: withScript(postDeployment) },
  {
    ...writing,
    method: 'PATCH',
    pattern: `${script}/script-settings`,
    handle: withScript(patchScriptSettings),
  },
]
