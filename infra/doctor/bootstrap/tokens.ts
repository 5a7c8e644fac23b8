import { reasonOf } from '../../http.ts'
import { fieldOf, listOf } from '../../json.ts'
import { dnsWrite, type PermissionGroup, requireDnsWrite } from '../../resources/token-policy.ts'
import type { StackSettings } from '../../settings/stack-settings.ts'
import { shown } from '../../shown.ts'
import { resultOf } from '../clients/cloudflare.ts'
import { findingsOf, type ReadResult, type StepFinding } from '../finding.ts'
import type { Place } from './place.ts'
import { checkEnd, dayOf } from './token-end.ts'

const { ok, note, missing } = findingsOf('cloudflare')

/** A token that somebody created by hand. */
export interface Held {
  readonly name: 'deploy token' | 'reading token' | 'minting token'
  /** Variable that holds it. */
  readonly variable: string
  readonly value: string
}

/** What the service says about a token. */
interface Verified {
  readonly id: string
  readonly owner: 'user' | 'account'
  /** Day on which it ends; null if it does not. */
  readonly endsOn: string | null
}

/** Checks every token: whether it works, what it may read, and what it may write according to the minting token. */
export async function checkTokens(
  place: Place,
  held: readonly Held[],
  {
    stack,
    isReadingOptional,
  }: { stack: { readonly settings: StackSettings | null } | null; isReadingOptional: boolean },
  now: number,
): Promise<readonly StepFinding[]> {
  const findings: StepFinding[] = []
  let reader: string | null = null
  for (const token of held) {
    const result =
      token.value === '' ? { problem: absent(place, token, isReadingOptional) } : await verify(place, token)
    if ('problem' in result) {
      findings.push(result.problem)
      continue
    }
    const verified = result.value
    findings.push(ok(`The ${token.name} is active.`))
    findings.push(checkEnd('cloudflare', token.name, verified.endsOn, stack?.settings ?? null, now))
    if (token.name === 'minting token') {
      const listed = await checkMinting(place, token, verified)
      findings.push(listed)
      reader = listed.level === 'ok' ? token.value : null
    } else {
      findings.push(...(await checkReads(place, token, verified)))
      findings.push(...(await checkPolicies(place, token, verified, reader)))
    }
  }
  return findings
}

/**
 * Returns Cloudflare's form with the permissions of a token selected, as docs/deploy.md links it (Cloudflare fundamentals: API
 * token template URLs). The minting token has a template there instead.
 */
function formOf(place: Place, name: Held['name']): string | null {
  if (name === 'minting token') return null
  const [type, title] = name === 'deploy token' ? ['edit', 'homeport-deploy'] : ['read', 'homeport-read']
  const keys = [
    'dns',
    ...(place.hasHost ? ['workers_routes'] : []),
    ...(place.hasWorker ? ['workers_scripts'] : []),
    ...(place.hasDatabase ? ['d1'] : []),
  ]
  const groups = encodeURIComponent(JSON.stringify(keys.map(key => ({ key, type }))))
  return `https://dash.cloudflare.com/profile/api-tokens?permissionGroupKeys=${groups}&accountId=%2A&zoneId=all&name=${title}`
}

function absent(place: Place, { name, variable }: Held, isReadingOptional: boolean): StepFinding {
  const form = formOf(place, name)
  // The reading token is in another environment of the workflows, so it cannot be checked everywhere.
  if (name === 'reading token' && isReadingOptional)
    return note(`${variable} is not set, so the ${name} was not checked.`)
  const create = form === null ? '' : ` To create one, open ${form} and choose the zone.`
  return missing(
    `${variable} is not set, so the ${name} was not checked.${create}`,
    `read -rs ${variable} && export ${variable}`,
  )
}

async function verify(
  place: Place,
  { name, variable, value }: Held,
): Promise<ReadResult<Verified, StepFinding>> {
  let answer = await place.as(value)('/user/tokens/verify')
  let owner: Verified['owner'] = 'user'
  if (answer.status === 401 && place.accountId !== null) {
    answer = await place.as(value)(`/accounts/${place.accountId}/tokens/verify`)
    owner = 'account'
  }
  const found = resultOf(answer)
  const [id, status] = [fieldOf(found, 'id'), fieldOf(found, 'status')]
  if (typeof id === 'string' && status === 'active') {
    return { value: { id, owner, endsOn: dayOf(fieldOf(found, 'expires_on')) } }
  }
  const problem = missing(
    `The ${name} is not valid: ${reasonOf(answer)}. Create another one.`,
    `read -rs ${variable} && export ${variable}`,
  )
  return { problem }
}

/** Path of the tokens of a token's owner. */
const tokensOf = ({ accountId }: Place, owner: Verified['owner']): string =>
  owner === 'account' ? `/accounts/${accountId}/tokens` : '/user/tokens'

async function checkMinting(place: Place, { value }: Held, { owner }: Verified): Promise<StepFinding> {
  const query = new URLSearchParams({ name: dnsWrite.name, scope: dnsWrite.scope })
  const answer = await place.as(value)(`${tokensOf(place, owner)}/permission_groups?${query}`)
  const fix = 'In the dashboard, create it again from the template "Create additional tokens".'
  try {
    const groups = resultOf(answer)
    if (!Array.isArray(groups)) {
      return missing(`The minting token may not read permission groups: ${reasonOf(answer)}.`, fix)
    }
    requireDnsWrite(groups.map(readGroup))
    return ok('The minting token may read tokens and their permissions.')
  } catch (error) {
    return missing(error instanceof Error ? error.message : String(error), fix)
  }
}

const readGroup = (group: unknown): PermissionGroup => ({
  id: String(fieldOf(group, 'id')),
  name: String(fieldOf(group, 'name')),
  scopes: listOf(fieldOf(group, 'scopes')).map(String),
})

/** The paths that both tokens read, by the permission without its last word. */
function readsOf({
  zoneId,
  accountId,
  hasWorker,
  hasHost,
  hasDatabase,
}: Place): Readonly<Record<string, string>> {
  return {
    ...(zoneId === null
      ? {}
      : {
          DNS: `/zones/${zoneId}/dns_records?per_page=5`,
          ...(hasHost ? { 'Workers Routes': `/zones/${zoneId}/workers/routes` } : {}),
        }),
    ...(accountId === null || !hasWorker
      ? {}
      : {
          'Workers Scripts': `/accounts/${accountId}/workers/scripts`,
          ...(hasDatabase ? { D1: `/accounts/${accountId}/d1/database?per_page=10` } : {}),
        }),
  }
}

async function checkReads(
  place: Place,
  { name, value }: Held,
  { owner }: Verified,
): Promise<readonly StepFinding[]> {
  const tokens = name === 'reading token' ? { 'API Tokens': `${tokensOf(place, owner)}?per_page=5` } : {}
  const reads = Object.entries({ ...readsOf(place), ...tokens })
  const answers = await Promise.all(reads.map(([, path]) => place.as(value)(path)))
  const refused = reads.flatMap(([permission], at) => {
    const answer = answers[at]
    return answer === undefined || resultOf(answer) !== null ? [] : [`${permission} (${reasonOf(answer)})`]
  })
  const kind = name === 'deploy token' ? 'Edit' : 'Read'
  return refused.length === 0
    ? [ok(`The ${name} may read ${reads.map(([permission]) => permission).join(', ')}.`)]
    : [
        missing(
          `The ${name} may not read ${refused.join(', ')}.`,
          `In the dashboard, edit the token and add ${refused.length === 1 ? 'this permission' : 'these permissions'} with "${kind}". Its value stays.`,
        ),
      ]
}

/** Compares the policies of a token, as far as the minting token can read them. */
async function checkPolicies(
  place: Place,
  { name }: Held,
  { id, owner }: Verified,
  minting: string | null,
): Promise<readonly StepFinding[]> {
  const answer = minting === null ? null : await place.as(minting)(`${tokensOf(place, owner)}/${id}`)
  const policies = answer && fieldOf(resultOf(answer), 'policies')
  if (!Array.isArray(policies)) {
    return [note(`What the ${name} may write was not checked: the minting token cannot read it.`)]
  }
  const granted = policies.flatMap(policy =>
    listOf(fieldOf(policy, 'permission_groups')).map(group => String(fieldOf(group, 'name'))),
  )
  const edit = 'In the dashboard, edit the token. Its value stays.'
  if (name === 'reading token') {
    const writing = granted.filter(permission => permission.endsWith('Write'))
    return writing.length === 0
      ? [ok('The reading token may write nothing.')]
      : [missing(`The reading token may write: ${writing.map(shown).join(', ')}.`, edit)]
  }
  const areas = [
    'DNS',
    ...(place.hasHost ? ['Workers Routes'] : []),
    ...(place.hasWorker ? ['Workers Scripts'] : []),
    ...(place.hasDatabase ? ['D1'] : []),
  ]
  const wanted = areas.map(permission => `${permission} Write`)
  const lacking = wanted.filter(permission => !granted.includes(permission))
  return lacking.length === 0
    ? [ok(`The deploy token has ${wanted.join(', ')}.`)]
    : [missing(`The deploy token lacks ${lacking.join(', ')}.`, edit)]
}
