import { type Outcome, success } from '../envelope.ts'
import { parseBody } from '../request-body.ts'
import type { Call, Route } from '../route.ts'
import { bodyUnreadable } from './errors.ts'
import type { Script } from './script.ts'
import { withScript } from './with-script.ts'
import type { Subdomain } from './workers.ts'

const off: Subdomain = { enabled: false, previews_enabled: false }

/** Handles GET …/scripts/{name}/subdomain. */
function getSubdomain({ parts: { workers } }: Call, { name }: Script): Outcome {
  // documented: GET returns whether a script is enabled on workers.dev. The setting is stored, but nothing answers there. [API
  // reference, Workers Scripts; types of npm cloudflare 7.3.0]
  return success(workers.subdomains.get(name) ?? off)
}

/** Handles POST …/scripts/{name}/subdomain. */
function postSubdomain({ body, parts: { workers } }: Call, { name }: Script): Outcome {
  // documented: POST changes the workers.dev settings of a script. [API reference, Workers Scripts; types of npm cloudflare
  // 7.3.0]
  const { enabled, previews_enabled: previews = enabled } = parseBody(body) ?? {}
  if (typeof enabled !== 'boolean' || typeof previews !== 'boolean') return bodyUnreadable
  const subdomain: Subdomain = { enabled, previews_enabled: previews }
  workers.subdomains.set(name, subdomain)
  return success(subdomain)
}

const account = '/accounts/:account/workers'
const reading = { method: 'GET', on: 'account', requires: 'workersScriptsRead' } as const
const writing = { on: 'account', requires: 'workersScriptsWrite' } as const

export const subdomainRoutes: readonly Route[] = [
  { ...reading, pattern: `${account}/scripts/*script/subdomain`, handle: withScript(getSubdomain) },
  {
    ...writing,
    method: 'POST',
    pattern: `${account}/scripts/*script/subdomain`,
    handle: withScript(postSubdomain),
  },
]
