import { type Outcome, success } from '../envelope.ts'
import { isRefusal } from '../errors.ts'
import { parseBody } from '../request-body.ts'
import type { Call, Route } from '../route.ts'
import { describeForm, readBindings } from './bindings.ts'
import { deployChange } from './deploy.ts'
import { bodyUnreadable, secretMissing } from './errors.ts'
import { readForm } from './form.ts'
import { type Binding, bindingView, type Script, settingsIn, settingsView } from './script.ts'
import { withScript } from './with-script.ts'

/** Handles GET …/settings. */
function getSettings(_call: Call, script: Script): Outcome {
  // documented: GET returns the settings and bindings of a script. [API reference, Workers Scripts; types of npm cloudflare
  // 7.3.0]
  // tried: Only settings that were sent are returned; any other makes the providers plan the same change again and again. A
  // secret binding is returned as name and type only. [Terraform provider 5.19 and 5.22, run against an emulator]
  // observed: The settings always include `placement`, which is `{}` if none was sent. Without it, terraform-provider-cloudflare
  // 5.22 fails at every command after the first. [terraform-provider-cloudflare, internal/services/workers_script/resource.go,
  // Read, 2026-08]
  return success(settingsView(script))
}

/** Handles PATCH …/settings. Keeps settings that the form omits. */
async function patchSettings(call: Call, script: Script): Promise<Outcome> {
  const { headers, body, describe, parts } = call
  // documented: PATCH changes settings with a form. Bindings that are sent replace all bindings; type "inherit" keeps one. [API
  // reference, Workers Scripts; types of npm cloudflare 7.3.0]
  const form = await readForm(headers['content-type'] ?? '', body, 'settings')
  if (form === null) return bodyUnreadable
  const { settings: sent, modules } = form
  describe(describeForm(sent, modules))
  const bindings =
    sent['bindings'] === undefined
      ? script.bindings
      : readBindings(sent['bindings'], undefined, script, parts.databases)
  if (isRefusal(bindings)) return bindings
  const changed = await deployChange(call, script, ({ settings }) => ({
    bindings,
    settings: { ...settings, ...settingsIn(sent) },
  }))
  return isRefusal(changed) ? changed : success(settingsView(changed))
}

const secretsOf = ({ bindings }: Script): Binding[] => bindings.filter(({ type }) => type === 'secret_text')

function readSecret({ body }: Call): Binding | null {
  const { name, text, type } = parseBody(body) ?? {}
  return typeof name === 'string' && name !== '' && typeof text === 'string' && type === 'secret_text'
    ? { name, text, type }
    : null
}

/** Handles PUT …/secrets. Adds or replaces a secret. */
async function putSecret(call: Call, script: Script): Promise<Outcome> {
  // documented: PUT adds or replaces a secret immediately. [API reference, Workers Scripts; types of npm cloudflare 7.3.0]
  const secret = readSecret(call)
  if (secret === null) return bodyUnreadable
  const changed = await deployChange(call, script, ({ bindings }) => ({
    bindings: [...bindings.filter(({ name }) => name !== secret.name), secret],
  }))
  return isRefusal(changed) ? changed : success(bindingView(secret))
}

/** Handles GET …/secrets. */
function listSecrets(_call: Call, script: Script): Outcome {
  // documented: Secrets are listed by name and type, without values. [API reference, Workers Scripts; types of npm cloudflare
  // 7.3.0]
  return success(secretsOf(script).map(bindingView))
}

/** Handles GET …/secrets/{name}. */
function getSecret({ params }: Call, script: Script): Outcome {
  const secret = secretsOf(script).find(({ name }) => name === params['secret'])
  return secret === undefined ? secretMissing : success(bindingView(secret))
}

/** Handles DELETE …/secrets/{name}. */
async function deleteSecret(call: Call, script: Script): Promise<Outcome> {
  // documented: DELETE deletes a secret by name. [API reference, Workers Scripts; types of npm cloudflare 7.3.0]
  const secret = secretsOf(script).find(({ name }) => name === call.params['secret'])
  if (secret === undefined) return secretMissing
  const changed = await deployChange(call, script, ({ bindings }) => ({
    bindings: bindings.filter(({ name }) => name !== secret.name),
  }))
  return isRefusal(changed) ? changed : success(null)
}

const script = '/accounts/:account/workers/scripts/*script'
const reading = { method: 'GET', on: 'account', requires: 'workersScriptsRead' } as const
const writing = { on: 'account', requires: 'workersScriptsWrite', outside: true } as const

export const settingsRoutes: readonly Route[] = [
  { ...reading, pattern: `${script}/settings`, handle: withScript(getSettings) },
  { ...writing, method: 'PATCH', pattern: `${script}/settings`, handle: withScript(patchSettings) },
  { ...reading, pattern: `${script}/secrets`, handle: withScript(listSecrets) },
  { ...writing, method: 'PUT', pattern: `${script}/secrets`, handle: withScript(putSecret) },
  { ...reading, pattern: `${script}/secrets/*secret`, handle: withScript(getSecret) },
  { ...writing, method: 'DELETE', pattern: `${script}/secrets/*secret`, handle: withScript(deleteSecret) },
]
