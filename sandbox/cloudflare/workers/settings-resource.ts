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
function getSettings({ cite }: Call, script: Script): Outcome {
  cite('workers.settings.get')
  cite('workers.script.settings')
  cite('workers.settings.placement')
  return success(settingsView(script))
}

/** Handles PATCH …/settings. Keeps settings that the form omits. */
async function patchSettings(call: Call, script: Script): Promise<Outcome> {
  const { cite, headers, body, describe, parts } = call
  cite('workers.settings.patch')
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
  call.cite('workers.secret.put')
  const secret = readSecret(call)
  if (secret === null) return bodyUnreadable
  const changed = await deployChange(call, script, ({ bindings }) => ({
    bindings: [...bindings.filter(({ name }) => name !== secret.name), secret],
  }))
  return isRefusal(changed) ? changed : success(bindingView(secret))
}

/** Handles GET …/secrets. */
function listSecrets({ cite }: Call, script: Script): Outcome {
  cite('workers.secret.list')
  return success(secretsOf(script).map(bindingView))
}

/** Handles GET …/secrets/{name}. */
function getSecret({ cite, params }: Call, script: Script): Outcome {
  cite('workers.secret.list')
  const secret = secretsOf(script).find(({ name }) => name === params['secret'])
  return secret === undefined ? secretMissing : success(bindingView(secret))
}

/** Handles DELETE …/secrets/{name}. */
async function deleteSecret(call: Call, script: Script): Promise<Outcome> {
  call.cite('workers.secret.delete')
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
