import { type Outcome, success } from '../envelope.ts'
import type { Call } from '../route.ts'
import { bodyUnreadable } from './errors.ts'
import type { Script } from './script.ts'
import type { Subdomain } from './workers.ts'

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
