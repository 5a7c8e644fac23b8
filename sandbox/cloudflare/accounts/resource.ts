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
function getUser({ cite, parts }: Call): Outcome {
  cite('user.get')
  return success(userView(parts.userId))
}

/** Handles GET /memberships. */
function listMemberships({ cite, query, parts: { userId, accountId } }: Call): Outcome {
  cite('user.memberships')
  return pageOf([membershipView(userId, accountId)], query, pageSize)
}

/** Handles GET /accounts. Accounts that the token cannot read are left out. */
function listAccounts({ cite, query, token, parts: { accountId } }: Call): Outcome {
  if (token.owner === 'account') {
    return refuse(400, 'accounts.list.owner', {
      code: 1001,
      message: 'List accounts endpoint does not support account owned tokens.',
    })
  }
  cite('accounts.list')
  const readable = allows(token, 'accountSettingsRead', { on: 'account', account: accountId })
  const name = query.get('name') ?? accountName
  return pageOf(readable && name === accountName ? [accountView(accountId)] : [], query, pageSize)
}

/** Handles GET /accounts/{id}. */
function getAccount({ cite, parts }: Call): Outcome {
  cite('accounts.get')
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
