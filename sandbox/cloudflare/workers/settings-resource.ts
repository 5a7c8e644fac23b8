import { formatInstant } from '../../http/clock.ts'
import { type Outcome, success } from '../envelope.ts'
import { refuse } from '../errors.ts'
import type { Call } from '../route.ts'
import { bodyUnreadable } from './errors.ts'
import { type Binding, bindingView, type Script, scriptSettingsIn, settingsView } from './script.ts'
import type { Subdomain } from './workers.ts'

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

const off: Subdomain = { enabled: false, previews_enabled: false }

/** Handles GET …/scripts/{name}/subdomain. */
export function getSubdomain({ parts: { workers } }: Call, { name }: Script): Outcome {
  // documented: GET returns whether a script is enabled on workers.dev. The setting is stored, but nothing answers there. [API
  // reference, Workers Scripts; types of npm cloudflare 7.3.0]
  return success(workers.subdomains.get(name) ?? off)
}

/** Handles POST …/scripts/{name}/subdomain. */
export function postSubdomain({ sent, parts: { workers } }: Call, { name }: Script): Outcome {
  // documented: POST changes the workers.dev settings of a script. [API reference, Workers Scripts; types of npm cloudflare
  // 7.3.0]
  const { enabled, previews_enabled: previews = enabled } = sent ?? {}
  if (typeof enabled !== 'boolean' || typeof previews !== 'boolean') throw bodyUnreadable
  const subdomain: Subdomain = { enabled, previews_enabled: previews }
  workers.subdomains.set(name, subdomain)
  return success(subdomain)
}

/** Cron triggers of an account on the free plan. */
const maxSchedules = 5

/** Handles GET …/scripts/{name}/schedules. */
export function getSchedules({ parts: { workers } }: Call, { name }: Script): Outcome {
  // documented: GET returns the cron triggers of a script. [API reference, Workers Scripts; types of npm cloudflare 7.3.0]
  return success({ schedules: workers.schedules.get(name) ?? [] })
}

/** Handles PUT …/scripts/{name}/schedules, whose body is a list. */
export function putSchedules({ body, parts: { workers, clock } }: Call, { name }: Script): Outcome {
  // documented: PUT replaces the cron triggers of a script with a list. [API reference, Workers Scripts; types of npm cloudflare
  // 7.3.0]
  const crons = cronsIn(body.toString())
  if (crons === null) throw bodyUnreadable
  const others = [...workers.schedules].flatMap(([other, schedules]) => (other === name ? [] : schedules))
  if (others.length + crons.length > maxSchedules)
    // observed: If the account would have more than five cron triggers on the free plan, the request is refused with code 10072.
    // Assumed: status 400. [workers-sdk issue 15194, 2026-08]
    throw refuse(400, {
      code: 10072,
      message: `This account has reached the Workers Free limit of ${maxSchedules} cron triggers per account.`,
    })
  const now = formatInstant(clock.now())
  const schedules = crons.map(cron => ({ cron, created_on: now, modified_on: now }))
  workers.schedules.set(name, schedules)
  return success({ schedules })
}

function cronsIn(text: string): readonly string[] | null {
  try {
    const list: unknown = JSON.parse(text)
    const crons = Array.isArray(list) ? list.map(one => Object(one).cron) : [null]
    return crons.every(cron => typeof cron === 'string') ? crons : null
  } catch {
    return null
  }
}
