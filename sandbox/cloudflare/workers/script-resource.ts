import { createHash } from 'node:crypto'
import type { HttpAnswer } from '../../http/delivery.ts'
import { type Outcome, success } from '../envelope.ts'
import type { Call } from '../route.ts'
import { removeDomain } from './domain-resource.ts'
import { scriptInvalid, scriptMissing } from './errors.ts'
import { databaseWorker } from './runtime-options.ts'
import { type Script, scriptView } from './script.ts'
import { readUpload } from './upload.ts'

const nameRule = /^[a-z0-9_][a-z0-9_-]{0,62}$/

/** Handles PUT …/scripts/{name}. The script is live when the response is sent. */
export async function putScript(call: Call): Promise<Outcome> {
  // documented: A script is uploaded as a form: its modules, and metadata with main_module, bindings and settings.
  // The response has id, etag and startup_time_ms; the script is then live. Assumed: bindings that it neither sends nor keeps
  // are removed, secrets too. [API reference, Workers Scripts; types of npm cloudflare 7.3.0]
  const name = call.params['script'] ?? ''
  if (!nameRule.test(name) || name === databaseWorker) {
    throw scriptInvalid(
      `"${name}" is not a valid name for a Worker. Use up to 63 lower-case letters, digits, - and _.`,
    )
  }
  const uploaded = await readUpload(call, name)
  const startedAt = performance.now()
  await call.parts.runtime.deploy(uploaded)
  return success({ ...scriptView(uploaded), startup_time_ms: Math.round(performance.now() - startedAt) })
}

/** Handles GET …/scripts. */
export function listScripts({ parts: { workers } }: Call): Outcome {
  // documented: All scripts are listed on one page. [API reference, Workers Scripts; types of npm cloudflare 7.3.0]
  return success([...workers.scripts.values()].map(scriptView))
}

/** Handles DELETE …/scripts/{name}. Also deletes the domains of the script. */
export function deleteScript({ params, parts }: Call): Outcome {
  // assumed: DELETE deletes a script with its custom domains and returns a null result. [no source says]
  const { workers, runtime } = parts
  const name = params['script'] ?? ''
  if (!workers.scripts.delete(name)) throw scriptMissing
  workers.subdomains.delete(name)
  workers.schedules.delete(name)
  for (const domain of workers.domains.values()) if (domain.service === name) removeDomain(parts, domain)
  runtime.outdate()
  return success(null)
}

const quoted = (text: string): string => text.replace(/["\r\n]/g, encodeURIComponent)

/** Returns the module as a form. */
function multipart({ mainModule, code, etag }: Script): HttpAnswer {
  const boundary = createHash('sha256').update(etag).digest('hex').slice(0, 40)
  const name = quoted(mainModule)
  return {
    status: 200,
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'cf-entrypoint': name,
    },
    body: [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${name}"; filename="${name}"`,
      'Content-Type: application/javascript+module',
      '',
      code,
      `--${boundary}--\r\n`,
    ].join('\r\n'),
  }
}

/** Handles GET …/content/v2. */
export function getContent(_call: Call, script: Script): Outcome {
  // observed: Modules are returned as a form, the main module first and named by cf-entrypoint. [what terraform-provider-
  // cloudflare 5.19 and wrangler 4 read, by their source of 2026]
  return { kind: 'plain', answer: multipart(script) }
}

/** Handles GET …/services/{name}, which the providers use to check whether a script exists. */
export function getService(_call: Call, script: Script): Outcome {
  // tried: A service shows the script in its default environment. A provider reads it to learn whether the script exists.
  // [Terraform provider 5.19 and 5.22, run against an emulator]
  const times = { created_on: script.createdOn, modified_on: script.modifiedOn }
  return success({
    id: script.name,
    ...times,
    default_environment: { environment: 'production', ...times, script: scriptView(script) },
  })
}
