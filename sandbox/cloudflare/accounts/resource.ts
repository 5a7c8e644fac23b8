import { type Outcome, success } from '../envelope.ts'
import type { Call, Route } from '../route.ts'

export const accountName = 'Sandbox'
/** Earlier than everything in a sandbox. */
const createdOn = '2026-01-01T00:00:00Z'

/** Returns the user who owns the user tokens, as served. */
export const userView = (id: string) => ({
  id,
  email: 'admin@example.com',
  username: 'admin',
  first_name: null,
  last_name: null,
  telephone: null,
  country: null,
  zipcode: null,
  two_factor_authentication_enabled: false,
  two_factor_authentication_locked: false,
  created_on: createdOn,
  modified_on: createdOn,
  organizations: [],
  has_pro_zones: false,
  has_business_zones: false,
  has_enterprise_zones: false,
  suspended: false,
  betas: [],
})

/** Handles GET /user. */
function getUser({ parts }: Call): Outcome {
  // documented: GET returns the user. Most fields are placeholders. [API reference, Accounts and User; types of npm cloudflare
  // 7.3.0]
  return success(userView(parts.userId))
}

export const accountRoutes: readonly Route[] = [
  { method: 'GET', pattern: '/user', on: 'user', requires: 'userDetailsRead', handle: getUser },
]
