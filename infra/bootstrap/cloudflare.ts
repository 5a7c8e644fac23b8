import { cloudflareApiUrl } from '../../lib/cloudflare.ts'
import { quoteValue } from '../../lib/quote.ts'
import { connect, isSendable, reasonOf, resultOf, type Send } from '../http.ts'
import { fieldOf, listOf, valueAt } from '../json.ts'
import { checkNames } from './hostnames.ts'
import type { Local, Plan } from './local.ts'
import { type Finding, findingsOf } from './steps.ts'

const { ok, note, missing } = findingsOf('cloudflare')

/** Something that the tokens need, as the dashboard calls it, and what shows whether a token may read it. */
type Area = readonly [area: string, path: string]

function areasOf({ zoneId, accountId, hasHandler, hasPush, hasClock }: Plan): readonly Area[] {
  const zone = zoneId && `/zones/${zoneId}`
  const account = accountId && `/accounts/${accountId}`
  const hasHost = hasHandler || hasPush
  const all = [
    ['DNS', zone && `${zone}/dns_records?per_page=5`],
    ['Workers Routes', hasHost && zone && `${zone}/workers/routes`],
    ['Workers Scripts', (hasHost || hasClock) && account && `${account}/workers/scripts`],
    ['D1', hasHandler && account && `${account}/d1/database?per_page=10`],
  ] as const
  return all.flatMap(([area, path]) => (path ? [[area, path] as const] : []))
}

/** Checks every token: whether it works, what it may read, and what it may write according to the minting token. */
export async function checkCloudflare(local: Local, env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const { stack, plan, mintingToken, isLocked } = local
  const hasWorker = plan.hasHandler || plan.hasPush || plan.hasClock
  if (!plan.records && !hasWorker) return []
  const apiUrl = stack?.apiUrl ?? (env['CLOUDFLARE_BASE_URL'] || cloudflareApiUrl)
  const areas = areasOf(plan)
  const tokens = [
    // Once there is a stack, it has the minting token.
    ['minting token', stack ? 'mintingApiToken' : 'CLOUDFLARE_MINTING_TOKEN', mintingToken],
    ['deploy token', 'CLOUDFLARE_API_TOKEN', env['CLOUDFLARE_API_TOKEN']],
    ['reading token', 'CLOUDFLARE_READING_TOKEN', env['CLOUDFLARE_READING_TOKEN']],
  ] as const
  const sendWith = (token: string) => connect(apiUrl, 'CLOUDFLARE_BASE_URL', token)
  const sends = tokens.flatMap(([, , value]) => (value && isSendable(value) ? [sendWith(value)] : []))
  const accountId = await accountOf(plan, sends)
  /** The minting token reads the policies of all three, so it is checked first. */
  let reader: Send | null = null

  async function check([name, variable, value]: (typeof tokens)[number]): Promise<readonly Finding[]> {
    if (name === 'minting token' && (!plan.records || isLocked)) return []
    const file = `secrets/${name.replace(' ', '-')}`
    const isInTerminal = variable.startsWith('CLOUDFLARE_')
    const step = findingsOf(isInTerminal ? 'cloudflare' : 'stack')
    const set = isInTerminal
      ? `(umask 077 && mkdir -p secrets && cat > ${file}), then export ${variable}=$(cat ${file})`
      : `pulumi config set --secret ${variable}`
    if (!value) {
      const text = `${variable} is not set, so the ${name} was not checked.`
      // Only the nightly comparison uses the reading token.
      const isOptional = name === 'reading token' && (stack !== null || !plan.hasSignIn)
      return [isOptional ? note(text) : step.missing(text, set)]
    }
    const [, same] = tokens.find(([other, , its]) => other !== name && its === value) ?? []
    const isId = /^[0-9a-f]{32}$/i.test(value)
    const isPlain = isSendable(value)
    if (isId || !isPlain || same !== undefined) {
      const has = isPlain ? `the same token as ${same}` : 'white space or a character that no token has'
      const is = isId ? 'is an ID, and not a token' : `has ${has}`
      return [step.missing(`${variable} ${is}. Paste each token again.`, set)]
    }
    const send = sendWith(value)
    const verified = await verify(send, accountId)
    if ('problem' in verified) {
      const { problem, isAnswered } = verified
      if (!isAnswered) return [missing(`The ${name} could not be checked: ${problem}.`, again)]
      if (plan.zoneId && resultOf(await send(`/zones/${plan.zoneId}`))) {
        const works = note(`The ${name} was not verified: ${problem}. It can read the zone, so it works.`)
        return name === 'minting token' ? [works] : [works, await checkReads(send, name, areas)]
      }
      const text = `The ${name} is not valid: ${problem}. ${ofAccount(accountId)}Paste it again, or create another one.`
      return [step.missing(text, set)]
    }
    const { path, own } = verified
    if (name === 'minting token') {
      reader = send
      // An account's token can only grant permissions that it has.
      const granted = own[0] === 'API Tokens' ? [] : ['DNS Write']
      return [await checkPolicies(send, name, path, [`${own[0]} Write`, ...granted])]
    }
    const isDeploy = name === 'deploy token'
    return [
      // A wrong zone would look like missing permissions.
      ...(isDeploy ? await checkNames(send, local) : []),
      await checkReads(send, name, isDeploy ? areas : [...areas, own]),
      await checkPolicies(reader, name, path, isDeploy ? areas.map(([area]) => `${area} Write`) : []),
    ]
  }

  const findings: Finding[] = []
  for (const token of tokens) findings.push(...(await check(token)))
  return findings
}

/** Why a token can be valid all the same: without its account, one of an account cannot be verified. */
const ofAccount = (accountId: string | null) =>
  accountId === null ? 'If it belongs to an account, set CLOUDFLARE_ACCOUNT_ID first. ' : ''

/** Resolves to the account of the zone, as the first token that can read it says; null if none can. */
async function accountOf({ accountId, zoneId }: Plan, sends: readonly Send[]): Promise<string | null> {
  if (accountId !== null || zoneId === null) return accountId
  const zones = await Promise.all(sends.map(send => send(`/zones/${zoneId}`)))
  const ids = zones.map(zone => String(valueAt(resultOf(zone), 'account.id')))
  return ids.find(id => /^[0-9a-f]{32}$/.test(id)) ?? null
}

/** Resolves to the path of a token, and what it needs to read its owner's tokens, or to why it is not valid. */
async function verify(send: Send, accountId: string | null) {
  let tokens = '/user/tokens'
  let area = 'API Tokens'
  let answer = await send('/user/tokens/verify')
  // Tokens of an account have their own path.
  if ((answer.status === 401 || answer.status === 403) && accountId !== null) {
    ;[tokens, area] = [`/accounts/${accountId}/tokens`, 'Account API Tokens']
    answer = await send(`${tokens}/verify`)
  }
  const found = resultOf(answer)
  if (fieldOf(found, 'status') !== 'active')
    return { problem: reasonOf(answer), isAnswered: answer.status !== null }
  const own: Area = [area, `${tokens}?per_page=5`]
  return { path: `${tokens}/${String(fieldOf(found, 'id'))}`, own }
}

/** What to do if a check got no answer. */
const again = 'Check the connection, and run npm run bootstrap again.'

async function checkReads(send: Send, name: string, areas: readonly Area[]): Promise<Finding> {
  const answers = await Promise.all(areas.map(async ([area, path]) => ({ area, answer: await send(path) })))
  const refused = answers.filter(({ answer }) => resultOf(answer) === null)
  if (refused.length === 0) return ok(`The ${name} may read ${areas.map(([area]) => area).join(', ')}.`)
  const unanswered = refused.find(({ answer }) => answer.status === null)?.answer
  if (unanswered) return missing(`What the ${name} may read was not checked: ${reasonOf(unanswered)}.`, again)
  return missing(
    `The ${name} may not read ${refused.map(({ area, answer }) => `${area} (${reasonOf(answer)})`).join(', ')}.`,
    'In the dashboard, edit the token and add what is missing. Its value stays.',
  )
}

/** Compares the policies of a token, as far as the minting token can read them. @param wanted what it may write */
async function checkPolicies(
  reader: Send | null,
  name: string,
  path: string,
  wanted: readonly string[],
): Promise<Finding> {
  const isMinting = name === 'minting token'
  const policies = reader && fieldOf(resultOf(await reader(path)), 'policies')
  if (!Array.isArray(policies) && !isMinting)
    return note(`What the ${name} may write was not checked: the minting token cannot read it.`)
  const granted = listOf(policies).flatMap(policy =>
    listOf(fieldOf(policy, 'permission_groups')).map(group => String(fieldOf(group, 'name'))),
  )
  const lacking = wanted.filter(permission => !granted.includes(permission))
  const more = granted.filter(permission => permission.endsWith('Write') && !wanted.includes(permission))
  const wrong = [
    ...(lacking.length > 0 ? [`lacks ${lacking.join(', ')}`] : []),
    ...(more.length > 0 ? [`may write more than it needs: ${more.map(quoteValue).join(', ')}`] : []),
  ]
  if (wrong.length === 0)
    return ok(`The ${name} ${wanted.length > 0 ? `has ${wanted.join(', ')}` : 'may write nothing'}.`)
  return missing(
    `The ${name} ${wrong.join(', and ')}.`,
    isMinting
      ? 'If this is another token, paste it again. Otherwise create it from the template "Create additional tokens".'
      : 'In the dashboard, edit the token. Its value stays.',
  )
}
