import { formatInstant } from '../../http/clock.ts'
import { type Outcome, success } from '../envelope.ts'
import { refuse } from '../errors.ts'
import { pageOf } from '../paging.ts'
import type { Call } from '../route.ts'
import { permissionGroups } from './permission-groups.ts'
import { grantsOnZones, readTokenDraft } from './rules.ts'
import { allows, newTokenValue, type Policy, statusAt, type Token } from './token.ts'

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

/** Returns whose tokens the path names. */
const ownerOf = ({ params }: Call): Token['owner'] => (params['account'] === undefined ? 'user' : 'account')

// assumed: A request for a token that does not exist, or belongs to the other kind of owner, gets 404 with code 1003. [clients
// treat 404 as deleted; code and wording are from memory]
const missing = refuse(404, { code: 1003, message: 'Token not found' })

function find(call: Call): Token {
  const token = call.parts.store.token(call.params['token'] ?? '')
  if (token?.owner !== ownerOf(call)) throw missing
  return token
}

function list(call: Call): Outcome {
  const { parts, query } = call
  // documented: Tokens are listed without values. Expired ones are left out unless include_expired is true. Assumed: 20 per
  // page, oldest first. [API reference, API Tokens]
  const now = parts.clock.now()
  const found = parts.store
    .tokens()
    .filter(token => token.owner === ownerOf(call))
    .filter(token => query.get('include_expired') === 'true' || statusAt(token, now) !== 'expired')
    .map(token => tokenView(token, now))
  return pageOf(found, query, pageSize)
}

function get(call: Call): Outcome {
  // documented: GET returns one token without its value. [API reference, API Tokens]
  return success(tokenView(find(call), call.parts.clock.now()))
}

/** Refuses policies on single zones with permissions that an account token does not hold itself. */
function checkGrant(call: Call, policies: readonly Policy[]): void {
  if (ownerOf(call) !== 'account' || call.token.owner !== 'account') return
  const [missingGrant] = policies
    .flatMap(grantsOnZones)
    .filter(([zone, permission]) => !allows(call.token, permission, ['zone', zone]))
  if (missingGrant)
    // observed: An account token that creates a token for one zone must have the same permissions on that zone. Otherwise the
    // request gets 400 with code 1001. Tokens for all zones and user tokens are not checked. Assumed: updates follow the same
    // rule. [terraform-provider-cloudflare issue 7241, 2026-07]
    throw refuse(400, {
      code: 1001,
      message: `Failed common permission check against resources. (Permission group: "${permissionGroups[missingGrant[1]].name}")`,
    })
}

function create(call: Call): Outcome {
  const { parts } = call
  // documented: A token is created from name, policies, condition and expires_on. Only this response contains its
  // value. Here, the value begins with `sandbox` behind its prefix, so that the action knows where it is. [API reference, API
  // Tokens]
  // documented: The resources of a policy are returned exactly as sent. [API reference, API Tokens; clients compare the text]
  const draft = readTokenDraft(call.sent)
  const sent = call.sent?.['policies'] as readonly unknown[]
  if (sent.some(policy => Object.hasOwn(Object(policy), 'id'))) {
    // observed: A request to create a token with a policy that has an id gets 400 with code 1001. [cloudflare-docs pull request
    // 352, 2020-11]
    throw refuse(400, {
      code: 1001,
      message: 'Reusing existing policies is not supported by token creation',
    })
  }
  checkGrant(call, draft.policies)
  const now = formatInstant(parts.clock.now())
  const owner = ownerOf(call)
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

function update(call: Call): Outcome {
  const { parts } = call
  // documented: PUT replaces a token except for its value. If status is not sent, it is kept. [API reference, API Tokens]
  const previous = find(call)
  const draft = readTokenDraft(call.sent)
  checkGrant(call, draft.policies)
  const { condition: _condition, expiresOn: _expiresOn, ...kept } = previous
  const { policies, ...fields } = draft
  const token: Token = {
    ...kept,
    modifiedOn: formatInstant(parts.clock.now()),
    ...fields,
    policies: policies.map((policy, at) => ({
      ...policy,
      id: previous.policies[at]?.id ?? parts.ids.id(),
    })),
  }
  parts.store.putToken(token)
  return success(tokenView(token, parts.clock.now()))
}

function roll(call: Call): Outcome {
  const { parts } = call
  // documented: Rolling a token returns a new value and invalidates the old one immediately. [API reference, API Tokens]
  const token = find(call)
  const value = newTokenValue(parts.ids, token.owner)
  parts.store.putToken({ ...token, value, modifiedOn: formatInstant(parts.clock.now()) })
  return success(value)
}

function remove(call: Call): Outcome {
  // documented: Deleting a token invalidates it immediately. [API reference, API Tokens]
  const token = find(call)
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

export function verify(call: Call): Outcome {
  const { token } = call
  if (token.owner !== ownerOf(call)) {
    // observed: On the user's verify route, a request with an account token gets 401 with code 1000. Assumed: so does the
    // reverse. [pl4nty/cloudflare-kubernetes-gateway issue 262, 2026-03]
    throw refuse(401, { code: 1000, message: 'Invalid API Token' })
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

/** The routes below those of a user or of an account. */
export const tokenRoutes = {
  'GET /tokens/permission_groups': listGroups,
  'GET /tokens': list,
  'POST /tokens': create,
  'GET /tokens/:token': get,
  'PUT /tokens/:token': update,
  'DELETE /tokens/:token': remove,
  'PUT /tokens/:token/value': roll,
}
