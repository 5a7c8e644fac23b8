import { formatInstant } from '../../http/clock.ts'
import { type Outcome, success } from '../envelope.ts'
import { isRefusal, type Refusal, refuse } from '../errors.ts'
import { pageOf } from '../paging.ts'
import { parseBody } from '../request-body.ts'
import type { Call, Route } from '../route.ts'
import { permissionGroups } from './permission-groups.ts'
import { grantsOnZones, readTokenDraft } from './rules.ts'
import { allows, newTokenValue, type Policy, statusAt, type Token } from './token.ts'

type Owner = Token['owner']

const pageSize = { default: 20, max: 50 }
const groupPageSize = { default: 1000, max: 1000 }

const groups = Object.values(permissionGroups)

const policyView = ({ id, effect, resources, permission_groups }: Policy) => ({
  ...(id === undefined ? {} : { id }),
  effect,
  resources,
  permission_groups: permission_groups.map(group => {
    const name = groups.find(known => known.id === group.id)?.name
    return { id: group.id, ...(name === undefined ? {} : { name }) }
  }),
})

/** Returns a token as served, without its value. */
function tokenView(token: Token, nowMs: number) {
  const { id, name, issuedOn, modifiedOn, expiresOn, condition, policies } = token
  return {
    id,
    name,
    status: statusAt(token, nowMs),
    issued_on: issuedOn,
    modified_on: modifiedOn,
    ...(expiresOn === undefined ? {} : { expires_on: expiresOn }),
    ...(condition === undefined ? {} : { condition }),
    policies: policies.map(policyView),
  }
}

const ownedBy = ({ parts }: Call, owner: Owner): Token[] =>
  parts.store.tokens().filter(token => token.owner === owner)

// assumed: A request for a token that does not exist, or belongs to the other kind of owner, gets 404 with code 1003. [clients
// treat 404 as deleted; code and wording are from memory]
const missing = refuse(404, { code: 1003, message: 'Token not found' })

function find(call: Call, owner: Owner): Token | Refusal {
  const token = call.parts.store.token(call.params['token'] ?? '')
  return token?.owner === owner ? token : missing
}

function list(call: Call, owner: Owner): Outcome {
  const { parts, query } = call
  // documented: Tokens are listed without values. Expired ones are left out unless include_expired is true. Assumed: 20 per
  // page, oldest first. [API reference, API Tokens]
  const now = parts.clock.now()
  const found = ownedBy(call, owner)
    .filter(token => query.get('include_expired') === 'true' || statusAt(token, now) !== 'expired')
    .map(token => tokenView(token, now))
  return pageOf(found, query, pageSize)
}

function get(call: Call, owner: Owner): Outcome {
  // documented: GET returns one token without its value. [API reference, API Tokens]
  const token = find(call, owner)
  return isRefusal(token) ? token : success(tokenView(token, call.parts.clock.now()))
}

/** Refuses policies on single zones with permissions that an account token does not hold itself. */
function refuseGrant({ token }: Call, policies: readonly Policy[]): Refusal | null {
  if (token.owner !== 'account') return null
  const [missingGrant] = policies
    .flatMap(grantsOnZones)
    .filter(([zone, permission]) => !allows(token, permission, { on: 'zone', zone }))
  return missingGrant === undefined
    ? null
    : // observed: An account token that creates a token for one zone must have the same permissions on that zone. Otherwise the
      // request gets 400 with code 1001. Tokens for all zones and user tokens are not checked. Assumed: updates follow the same
      // rule. [terraform-provider-cloudflare issue 7241, 2026-07]
      refuse(400, {
        code: 1001,
        message: `Failed common permission check against resources. (Permission group: "${permissionGroups[missingGrant[1]].name}")`,
      })
}

function create(call: Call, owner: Owner): Outcome {
  const { parts } = call
  // documented: A token is created from name, policies, condition and expires_on. Only this response contains its
  // value. Here, the value begins with `sandbox` behind its prefix, so that the action knows where it is. [API reference, API
  // Tokens]
  // documented: The resources of a policy are returned exactly as sent. [API reference, API Tokens; clients compare the text]
  const body = parseBody(call.body)
  const draft = readTokenDraft(body)
  if (isRefusal(draft)) return draft
  const sent = Array.isArray(body?.['policies']) ? body['policies'] : []
  if (sent.some(policy => Object.hasOwn(Object(policy), 'id'))) {
    // observed: A request to create a token with a policy that has an id gets 400 with code 1001. [cloudflare-docs pull request
    // 352, 2020-11]
    return refuse(400, {
      code: 1001,
      message: 'Reusing existing policies is not supported by token creation',
    })
  }
  const refusal = owner === 'account' ? refuseGrant(call, draft.policies) : null
  if (refusal) return refusal
  const now = formatInstant(parts.clock.now())
  const { policies, ...fields } = draft
  const token: Token = {
    id: parts.ids.id(),
    value: newTokenValue(parts.ids, owner),
    owner,
    issuedOn: now,
    modifiedOn: now,
    ...fields,
    status: 'active',
    policies: policies.map(policy => ({ ...policy, id: parts.ids.id() })),
  }
  parts.store.putToken(token)
  return success({ ...tokenView(token, parts.clock.now()), value: token.value })
}

function update(call: Call, owner: Owner): Outcome {
  const { parts } = call
  // documented: PUT replaces a token except for its value. If status is not sent, it is kept. [API reference, API Tokens]
  const previous = find(call, owner)
  if (isRefusal(previous)) return previous
  const draft = readTokenDraft(parseBody(call.body))
  if (isRefusal(draft)) return draft
  const refusal = owner === 'account' ? refuseGrant(call, draft.policies) : null
  if (refusal) return refusal
  const { id, value, issuedOn, status } = previous
  const { policies, ...fields } = draft
  const token: Token = {
    id,
    value,
    owner,
    issuedOn,
    modifiedOn: formatInstant(parts.clock.now()),
    status,
    ...fields,
    policies: policies.map((policy, at) => ({
      ...policy,
      id: previous.policies[at]?.id ?? parts.ids.id(),
    })),
  }
  parts.store.putToken(token)
  return success(tokenView(token, parts.clock.now()))
}

function roll(call: Call, owner: Owner): Outcome {
  const { parts } = call
  // documented: Rolling a token returns a new value and invalidates the old one immediately. [API reference, API Tokens]
  const token = find(call, owner)
  if (isRefusal(token)) return token
  const value = newTokenValue(parts.ids, owner)
  parts.store.putToken({ ...token, value, modifiedOn: formatInstant(parts.clock.now()) })
  return success(value)
}

function remove(call: Call, owner: Owner): Outcome {
  // documented: Deleting a token invalidates it immediately. [API reference, API Tokens]
  const token = find(call, owner)
  if (isRefusal(token)) return token
  call.parts.store.removeToken(token.id)
  return success({ id: token.id })
}

function listGroups({ query }: Call): Outcome {
  // documented: Permission groups are listed by name and scope. Only groups that Homeport or its tests need exist here. The ids
  // of the DNS groups and Zone Read were observed; the others are from memory. [API reference, API Tokens]
  const [name, scope] = [query.get('name'), query.get('scope')]
  const found = groups
    .filter(group => name === null || group.name === name)
    .filter(group => scope === null || group.scopes.some(one => one === scope))
    .map(group => ({ ...group, is_selectable: true }))
  return pageOf(found, query, groupPageSize)
}

function verify({ token }: Call, owner: Owner): Outcome {
  if (token.owner !== owner) {
    // observed: On the user's verify route, a request with an account token gets 401 with code 1000. Assumed: so does the
    // reverse. [pl4nty/cloudflare-kubernetes-gateway issue 262, 2026-03]
    return refuse(401, { code: 1000, message: 'Invalid API Token' })
  }
  // observed: Verifying a usable token returns its id and status, and a message with code 10000. [reports of 2026-05]
  return {
    kind: 'success',
    result: {
      id: token.id,
      status: token.status,
      ...(token.expiresOn === undefined ? {} : { expires_on: token.expiresOn }),
    },
    messages: [{ code: 10000, message: 'This API Token is valid and active', type: null }],
  }
}

/** Returns the routes for the tokens of a user or an account. */
function routesFor(owner: Owner, base: '/user' | '/accounts/:account'): readonly Route[] {
  const reading = { on: owner, requires: owner === 'user' ? 'userTokensRead' : 'accountTokensRead' } as const
  const writing = {
    on: owner,
    requires: owner === 'user' ? 'userTokensWrite' : 'accountTokensWrite',
  } as const
  const all = `${base}/tokens` as const
  const one = `${all}/:token` as const
  return [
    { method: 'GET', pattern: `${all}/verify`, on: 'self', handle: call => verify(call, owner) },
    { method: 'GET', pattern: `${all}/permission_groups`, ...reading, handle: listGroups },
    { method: 'GET', pattern: all, ...reading, handle: (call: Call) => list(call, owner) },
    { method: 'POST', pattern: all, ...writing, handle: (call: Call) => create(call, owner) },
    { method: 'GET', pattern: one, ...reading, handle: (call: Call) => get(call, owner) },
    { method: 'PUT', pattern: one, ...writing, handle: (call: Call) => update(call, owner) },
    { method: 'DELETE', pattern: one, ...writing, handle: (call: Call) => remove(call, owner) },
    { method: 'PUT', pattern: `${one}/value`, ...writing, handle: (call: Call) => roll(call, owner) },
  ]
}

export const tokenRoutes: readonly Route[] = [
  ...routesFor('user', '/user'),
  ...routesFor('account', '/accounts/:account'),
]
