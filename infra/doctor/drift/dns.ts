import { fieldOf, listOf } from '../../json.ts'
import { shown } from '../../shown.ts'
import { isOfPush, tokenTypes, types } from '../../stack-facts.ts'
import { ofType, type StackState, type StateResource } from '../../stack-state.ts'
import { type Read, readOne } from '../clients/cloudflare.ts'
import { type Finding, ifRead, warns } from '../finding.ts'
import { type Field, fieldDifferences, gone, sorted } from './fields.ts'

/** Compares each record with what the state declares of it. Its content, comment and tags have other owners. */
export async function recordDifferences(state: StackState, read: Read): Promise<readonly Finding[]> {
  const records = ofType(state, types.record).filter(({ toDelete }) => !toDelete)
  const differences = await Promise.all(records.map(record => oneDifferences(record, records.length, read)))
  return differences.flat()
}

/** Inputs that an import leaves out of the state where they equal the provider's default (seen with the real one). */
const providerDefaults: Readonly<Record<string, unknown>> = { proxied: false }

async function oneDifferences(
  { id, inputs }: StateResource,
  count: number,
  read: Read,
): Promise<readonly Finding[]> {
  const type = count === 1 ? '' : ` (${String(inputs['type'])})`
  const subject = `The record ${shown(String(inputs['name']))}${type}`
  const path = `/zones/${pathPart(inputs['zoneId'])}/dns_records/${pathPart(id)}`
  return ifRead(await readOne(read, path, 'the record', 'DNS Read'), found => {
    if (found === null) {
      const address = `with the address ${shown(String(inputs['content']))} until the action updates it`
      return [gone(subject, `Run pulumi up, which creates it again, ${address}.`)]
    }
    const fields = ['type', 'name', 'ttl', 'proxied'] as const
    return fieldDifferences(
      subject,
      fields.map(name => [name, fieldOf(found, name), inputs[name] ?? providerDefaults[name]]),
    )
  })
}

/** How a message calls a token, by its name in the program. */
export const tokenTitle = (name: string): string =>
  isOfPush(name) ? "The push endpoint's token" : 'The DNS token'

/** Compares each token with what the state declares. Its value cannot be read. */
export async function tokenDifferences(state: StackState, read: Read): Promise<readonly Finding[]> {
  const tokens = ofType(state, ...tokenTypes)
  const left = tokens
    .filter(({ toDelete }) => toDelete)
    .map(
      ({ id, name }): Finding =>
        warns(
          `${tokenTitle(name)} ${shown(id)} is replaced, but not yet deleted.`,
          'Run pulumi up, which deletes it.',
        ),
    )
  const present = tokens.filter(({ toDelete }) => !toDelete)
  const differences = await Promise.all(present.map(token => oneTokenDifferences(token, read)))
  return [...left, ...unfinishedRotations(present), ...differences.flat()]
}

/** Reports parts with several tokens: a rotation declares the new one under another name, and deletes the old one last. */
function unfinishedRotations(present: readonly StateResource[]): readonly Finding[] {
  const parts = [false, true].map(isPush => present.filter(({ name }) => isOfPush(name) === isPush))
  return parts
    .filter(({ length }) => length > 1)
    .map(
      (tokens): Finding =>
        warns(
          `${tokenTitle(tokens[0]?.name ?? '')} was rotated, but the run did not finish: ${tokens.map(({ id }) => shown(id)).join(', ')} exist.`,
          'Run pulumi up, which uses the new one and deletes the old one.',
        ),
    )
}

async function oneTokenDifferences(token: StateResource, read: Read): Promise<readonly Finding[]> {
  const { id, inputs, type, name } = token
  const ofAccount = type === types.accountToken
  const owner = ofAccount ? `accounts/${pathPart(inputs['accountId'])}` : 'user'
  const permission = ofAccount ? 'Account API Tokens Read' : 'API Tokens Read'
  const subject = `${tokenTitle(name)} ${shown(id)}`
  const noun = tokenTitle(name).replace(/^The/, 'the')
  const found = await readOne(read, `/${owner}/tokens/${pathPart(id)}`, noun, permission)
  const then = isOfPush(name) ? 'binds it to the Worker' : 'hands it over'
  return ifRead(found, value =>
    value === null
      ? [gone(subject, `Run pulumi up, which creates another one and ${then}.`)]
      : fieldDifferences(subject, tokenFields(value, token)),
  )
}

function tokenFields(found: unknown, { inputs }: StateResource): readonly Field[] {
  const ranges = (condition: unknown, request: string, within: string, without: string) => {
    const addresses = fieldOf(condition, request)
    return [within, without].map(name => sorted(listOf(fieldOf(addresses, name))))
  }
  return [
    ['name', fieldOf(found, 'name'), inputs['name']],
    ['status', fieldOf(found, 'status'), inputs['status']],
    ['expires_on', secondOf(fieldOf(found, 'expires_on')), secondOf(inputs['expiresOn'])],
    [
      'policies',
      policiesOf(fieldOf(found, 'policies'), 'permission_groups'),
      policiesOf(inputs['policies'], 'permissionGroups'),
    ],
    [
      'the address ranges allowed and refused',
      ranges(fieldOf(found, 'condition'), 'request_ip', 'in', 'not_in'),
      ranges(inputs['condition'], 'requestIp', 'ins', 'notIns'),
    ],
  ]
}

/** Returns policies in a form that does not depend on their order. The state has `resources` as JSON text. */
function policiesOf(policies: unknown, groups: string): readonly string[] {
  return sorted(
    listOf(policies).map(policy => {
      const ids = sorted(listOf(fieldOf(policy, groups)).map(group => fieldOf(group, 'id')))
      const resources = fieldOf(policy, 'resources')
      const text = typeof resources === 'string' ? resources : JSON.stringify(resources)
      return `${fieldOf(policy, 'effect')} ${ids.join(' ')} ${text}`
    }),
  )
}

/** Returns a time to the second; null if there is none. */
function secondOf(time: unknown): string | null {
  const parsed = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return Number.isNaN(parsed) ? null : `${new Date(parsed).toISOString().slice(0, 19)}Z`
}

/** An id from the state as a part of a path. */
export const pathPart = (id: unknown): string => encodeURIComponent(String(id))
