import { formatInstant } from '../../http/clock.ts'
import { type Outcome, success } from '../envelope.ts'
import type { Call } from '../route.ts'
import { bodyUnreadable } from './errors.ts'
import { type Binding, bindingView, type Script, scriptSettingsIn, settingsView } from './script.ts'

/** Handles GET …/settings. */
export function getSettings(_call: Call, script: Script): Outcome {
  // documented: GET returns the settings and bindings of a script. [API reference, Workers Scripts; types of npm cloudflare
  // 7.3.0]
  // tried: Only settings that were sent are returned; any other makes the providers plan the same change again and again. A
  // secret binding is returned as name and type only. [Terraform provider 5.19 and 5.22, run against an emulator]
  // observed: The settings always include `placement`, which is `{}` if none was sent. Without it, terraform-provider-cloudflare
  // 5.22 fails at every command after the first. [terraform-provider-cloudflare, internal/services/workers_script/resource.go,
  // Read, 2026-08]
  return success(settingsView(script))
}

function readSecret({ sent }: Call): Binding | null {
  const { name, text, type } = sent ?? {}
  return typeof name === 'string' && name !== '' && typeof text === 'string' && type === 'secret_text'
    ? { name, text, type }
    : null
}

/** Handles PUT …/secrets. Adds or replaces a secret. */
export async function putSecret(call: Call, script: Script): Promise<Outcome> {
  // documented: PUT adds or replaces a secret immediately. [API reference, Workers Scripts; types of npm cloudflare 7.3.0]
  const secret = readSecret(call)
  if (secret === null) throw bodyUnreadable
  const others = script.bindings.filter(({ name }) => name !== secret.name)
  const modifiedOn = formatInstant(call.parts.clock.now())
  await call.parts.runtime.deploy({ ...script, bindings: [...others, secret], modifiedOn })
  return success(bindingView(secret))
}

/** Handles PATCH …/script-settings, which are not part of a version. */
export function patchScriptSettings({ sent, parts: { workers } }: Call, script: Script): Outcome {
  // documented: PATCH changes the settings that belong to the script and not to a version: logpush, observability, tags and
  // tail_consumers. [API reference, Workers Scripts; types of npm cloudflare 7.3.0]
  if (sent === null) throw bodyUnreadable
  const settings = { ...script.settings, ...scriptSettingsIn(sent) }
  workers.scripts.set(script.name, { ...script, settings })
  return success(scriptSettingsIn(settings))
}
