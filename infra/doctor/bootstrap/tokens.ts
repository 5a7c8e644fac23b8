import { reasonOf } from '../../http.ts'
import { fieldOf, listOf } from '../../json.ts'
import { dnsWrite, type PermissionGroup, requireDnsWrite } from '../../resources/token-policy.ts'
import { shown } from '../../shown.ts'
import { type Read, resultOf } from '../clients/cloudflare.ts'
import { findingsOf, type ReadResult, type StepFinding } from '../finding.ts'
import type { Local } from './stack.ts'

const { ok, note, missing } = findingsOf('cloudflare')

/** Cloudflare's API with each token, and the zone and account to check; null if one is not known. */
export interface Place {
  readonly as: (token: string) => Read
  readonly zoneId: string | null
  readonly accountId: string | null
  /** What the tokens need, as the dashboard calls it. */
  readonly areas: readonly ('DNS' | 'Workers Routes' | 'Workers Scripts' | 'D1')[]
}

/** A token that somebody created by hand. */
interface Held {
  readonly name: 'deploy token' | 'reading token' | 'minting token'
  /** Variable that holds it. */
  readonly variable: string
  /** The command that sets it. */
  readonly set: string
  readonly value: string
}

/** What Cloudflare says about a token. */
interface Verified {
  readonly id: string
  readonly owner: 'user' | 'account'
}

/** Checks every token: whether it works, what it may read, and what it may write according to the minting token. */
export async function checkTokens(
  place: Place,
  { stack, parts, mintingToken }: Local,
  env: NodeJS.ProcessEnv,
): Promise<readonly StepFinding[]> {
  const held = (name: Held['name'], variable: string, value = env[variable] ?? ''): Held => {
    // Once there is a stack, it has the minting token.
    const isKept = stack !== null && name === 'minting token'
    const set = isKept
      ? 'pulumi config set --secret mintingApiToken'
      : `read -rs ${variable} && export ${variable}`
    return { name, variable: isKept ? 'mintingApiToken' : variable, set, value }
  }
  const findings: StepFinding[] = []
  let reader: string | null = null
  for (const token of [
    ...(parts.record ? [held('minting token', 'CLOUDFLARE_MINTING_TOKEN', mintingToken ?? '')] : []),
    held('deploy token', 'CLOUDFLARE_API_TOKEN'),
    held('reading token', 'CLOUDFLARE_READING_TOKEN'),
  ]) {
    const { name, variable, set, value } = token
    if (value === '') {
      const text = `${variable} is not set, so the ${name} was not checked.`
      // Only the nightly comparison uses the reading token.
      const isOptional = name === 'reading token' && (stack !== null || parts.signIn === 'none')
      findings.push(isOptional ? note(text) : missing(text, set))
      continue
    }
    const result = await verify(place, token)
    if ('problem' in result) {
      findings.push(result.problem)
      continue
    }
    findings.push(ok(`The ${name} is active.`))
    if (name === 'minting token') {
      const listed = await checkMinting(place, token, result.value)
      findings.push(listed)
      reader = listed.level === 'ok' ? value : null
    } else {
      findings.push(await checkReads(place, token, result.value))
      findings.push(await checkPolicies(place, token, result.value, reader))
    }
  }
  return findings
}

async function verify(place: Place, { name, set, value }: Held): Promise<ReadResult<Verified, StepFinding>> {
  let answer = await place.as(value)('/user/tokens/verify')
  let owner: Verified['owner'] = 'user'
  if (answer.status === 401 && place.accountId !== null) {
    answer = await place.as(value)(`/accounts/${place.accountId}/tokens/verify`)
    owner = 'account'
  }
  const found = resultOf(answer)
  const id = fieldOf(found, 'id')
  if (typeof id === 'string' && fieldOf(found, 'status') === 'active') return { value: { id, owner } }
  const problem = missing(
    `The ${name} is not valid: ${reasonOf(answer)}. Paste it again, or create another one.`,
    set,
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

/** Returns the path that shows whether a token may read an area; null if the zone or the account is not known. */
function pathOf(area: Place['areas'][number], { zoneId, accountId }: Place): string | null {
  const [zone, account] = [zoneId && `/zones/${zoneId}`, accountId && `/accounts/${accountId}`]
  switch (area) {
    case 'DNS':
      return zone && `${zone}/dns_records?per_page=5`
    case 'Workers Routes':
      return zone && `${zone}/workers/routes`
    case 'Workers Scripts':
      return account && `${account}/workers/scripts`
    case 'D1':
      return account && `${account}/d1/database?per_page=10`
  }
}

async function checkReads(place: Place, { name, value }: Held, { owner }: Verified): Promise<StepFinding> {
  const reads = place.areas.flatMap(area => {
    const path = pathOf(area, place)
    return path === null ? [] : [{ permission: area as string, path }]
  })
  if (name === 'reading token')
    reads.push({ permission: 'API Tokens', path: `${tokensOf(place, owner)}?per_page=5` })
  const answers = await Promise.all(
    reads.map(async ({ permission, path }) => ({ permission, answer: await place.as(value)(path) })),
  )
  const refused = answers.filter(({ answer }) => resultOf(answer) === null)
  const names = (those: readonly { readonly permission: string }[]) =>
    those.map(({ permission }) => permission).join(', ')
  if (refused.length === 0) return ok(`The ${name} may read ${names(reads)}.`)
  const reasons = refused.map(({ permission, answer }) => `${permission} (${reasonOf(answer)})`).join(', ')
  return missing(
    `The ${name} may not read ${reasons}.`,
    `In the dashboard, edit the token and add ${refused.length === 1 ? 'this permission' : 'these permissions'} with "${name === 'deploy token' ? 'Edit' : 'Read'}". Its value stays.`,
  )
}

/** Compares the policies of a token, as far as the minting token can read them. */
async function checkPolicies(
  place: Place,
  { name }: Held,
  { id, owner }: Verified,
  minting: string | null,
): Promise<StepFinding> {
  const answer = minting === null ? null : await place.as(minting)(`${tokensOf(place, owner)}/${id}`)
  const policies = answer && fieldOf(resultOf(answer), 'policies')
  if (!Array.isArray(policies))
    return note(`What the ${name} may write was not checked: the minting token cannot read it.`)
  const granted = policies.flatMap(policy =>
    listOf(fieldOf(policy, 'permission_groups')).map(group => String(fieldOf(group, 'name'))),
  )
  const wanted = name === 'deploy token' ? place.areas.map(area => `${area} Write`) : []
  const writing = granted.filter(permission => permission.endsWith('Write'))
  const [lacking, more] = [
    wanted.filter(permission => !granted.includes(permission)),
    writing.filter(permission => !wanted.includes(permission)),
  ]
  const edit = 'In the dashboard, edit the token. Its value stays.'
  if (lacking.length > 0) return missing(`The ${name} lacks ${lacking.join(', ')}.`, edit)
  if (more.length > 0)
    return missing(`The ${name} may write more than it needs: ${more.map(shown).join(', ')}.`, edit)
  return ok(wanted.length > 0 ? `The ${name} has ${wanted.join(', ')}.` : `The ${name} may write nothing.`)
}
