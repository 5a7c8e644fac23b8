import { type Outcome, success } from '../envelope.ts'
import { refuse } from '../errors.ts'
import { pageOf } from '../paging.ts'
import type { Call, Route } from '../route.ts'
import { allows } from '../tokens/token.ts'

export const accountName = 'Sandbox'
const pageSize = { default: 20, max: 50 }
/** Earlier than everything in a sandbox. */
const createdOn = '2026-01-01T00:00:00Z'

/** Returns the account as served. */
export const accountView = (id: string) => ({
  id,
  name: accountName,
  type: 'standard' as const,
  settings: { enforce_twofactor: false, abuse_contact_email: '' },
  created_on: createdOn,
})

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

/** Returns the membership of the user in the account, as served. */
const membershipView = (userId: string, accountId: string) => ({
  id: userId,
  status: 'accepted',
  api_access_enabled: null,
  account: accountView(accountId),
  roles: ['Super Administrator - All Privileges'],
  permissions: { dns_records: { read: true, write: true }, zones: { read: true, write: true } },
})

/** Handles GET /user. */
function getUser({ parts }: Call): Outcome {
  // documented: GET returns the user. Most fields are placeholders. [API reference, Accounts and User; types of npm cloudflare
  // 7.3.0]
  return success(userView(parts.userId))
}

/** Handles GET /memberships. */
function listMemberships({ query, parts: { userId, accountId } }: Call): Outcome {
  // documented: The membership of the user in the account is listed. Its roles and permissions are placeholders. [API reference,
  // Accounts and User; types of npm cloudflare 7.3.0]
  return pageOf([membershipView(userId, accountId)], query, pageSize)
}

/** Handles GET /accounts. Accounts that the token cannot read are left out. */
function listAccounts({ query, token, parts: { accountId } }: Call): Outcome {
  if (token.owner === 'account') {
    // observed: A request to list accounts with an account token gets 400 with code 1001. [edgefirst-dev/starter issue 3,
    // 2024-12]
    return refuse(400, {
      code: 1001,
      message: 'List accounts endpoint does not support account owned tokens.',
    })
  }
  // observed: The account is listed for a user token with Account Settings Read. Other user tokens get an empty list.
  // [cloudflare-go issue 725, 2021-10]
  const readable = allows(token, 'accountSettingsRead', { on: 'account', account: accountId })
  const name = query.get('name') ?? accountName
  return pageOf(readable && name === accountName ? [accountView(accountId)] : [], query, pageSize)
}

/** Handles GET /accounts/{id}. */
function getAccount({ parts }: Call): Outcome {
  // documented: GET returns the account. [API reference, Accounts and User; types of npm cloudflare 7.3.0]
  return success(accountView(parts.accountId))
}

export const accountRoutes: readonly Route[] = [
  { method: 'GET', pattern: '/user', on: 'user', requires: 'userDetailsRead', handle: getUser },
  {
    method: 'GET',
    pattern: '/memberships',
    on: 'user',
    requires: 'membershipsRead',
    handle: listMemberships,
  },
  { method: 'GET', pattern: '/accounts', on: 'self', handle: listAccounts },
  {
    method: 'GET',
    pattern: '/accounts/:account',
    on: 'account',
    requires: 'accountSettingsRead',
    handle: getAccount,
  },
]
