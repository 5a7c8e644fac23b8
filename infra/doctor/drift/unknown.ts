import { textOf } from '../../json.ts'
import { adoption } from '../../resources/existing-record.ts'
import { titleOf } from '../../settings/readers.ts'
import type { RecordPlan, RecordSettings, TokenPlan } from '../../settings/stack-settings.ts'
import { shown } from '../../shown.ts'
import { bootstrapAddresses, isOfPush, tokenTypes, types } from '../../stack-facts.ts'
import { ofType, type StackState, type StateResource } from '../../stack-state.ts'
import { type Read, readPages } from '../clients/cloudflare.ts'
import { rotateToken } from '../expiry.ts'
import { differs, type Finding, ifRead, type ReadResult } from '../finding.ts'
import type { StackView } from '../stack.ts'
import { tokenTitle } from './dns.ts'

export interface FoundToken {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly issuedOn: string | null
  readonly modifiedOn: string | null
}

export interface FoundRecord {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly content: string
}

/** Types that decide where people who ask for a name go. Another record, such as a TXT, takes nothing over. */
const leadingTypes: readonly string[] = ['A', 'AAAA', 'CNAME', 'HTTPS', 'SVCB', 'NS']

/**
 * Finds tokens with the stack's name and records with its hostnames that the state does not know, and a DNS token that
 * somebody changed.
 */
export async function unknownDifferences(
  { tokenNames, push, state }: StackView,
  { zoneId, plans, token }: RecordSettings,
  { accountId, hasPush }: { readonly accountId: string | null; readonly hasPush: boolean },
  read: Read,
): Promise<readonly Finding[]> {
  const tokens = await readTokens(read, token, accountId)
  const names = [...new Set(plans.map(({ name }) => name))]
  const records = await Promise.all(names.map(name => readRecords(read, zoneId, name)))
  return [
    ...ifRead(tokens, found => [
      ...unknownTokens(found, { tokenNames, state, token }),
      ...(hasPush ? unknownTokens(found, { ...push, state, token, isPush: true }) : []),
      ...changedTokens(found, state),
    ]),
    ...records.flatMap((reading, index) =>
      ifRead(reading, found => unknownRecords(found, { state, name: names[index] ?? '', plans })),
    ),
  ]
}

function readTokens(
  read: Read,
  token: TokenPlan,
  accountId: string | null,
): Promise<ReadResult<readonly FoundToken[]>> {
  const [path, permission] =
    token.owner === 'account'
      ? [`/accounts/${accountId}/tokens`, 'Account API Tokens Read']
      : ['/user/tokens', 'API Tokens Read, as the person who owns mintingApiToken']
  return readPages(read, `${path}?`, 'the tokens', permission, one => ({
    id: textOf(one, 'id') ?? '',
    name: textOf(one, 'name') ?? '',
    status: textOf(one, 'status') ?? '',
    issuedOn: textOf(one, 'issued_on'),
    modifiedOn: textOf(one, 'modified_on'),
  }))
}

function readRecords(read: Read, zoneId: string, name: string): Promise<ReadResult<readonly FoundRecord[]>> {
  const path = `/zones/${zoneId}/dns_records?${new URLSearchParams({ name })}&`
  return readPages(read, path, 'the records', 'DNS Read', one => ({
    id: textOf(one, 'id') ?? '',
    name: textOf(one, 'name') ?? '',
    type: textOf(one, 'type') ?? '',
    content: textOf(one, 'content') ?? '',
  }))
}

/** Reports tokens with the stack's name, or with the push endpoint's. Exported for its test. */
export function unknownTokens(
  found: readonly FoundToken[],
  {
    tokenNames,
    state,
    token,
    isPush = false,
  }: { tokenNames: readonly string[]; state: StackState; token: TokenPlan; isPush?: boolean },
): readonly Finding[] {
  const known = ofType(state, ...tokenTypes)
    .filter(({ name }) => isOfPush(name) === isPush)
    .map(({ id }) => id)
  const where =
    token.owner === 'account'
      ? 'Manage account, Account API tokens'
      : 'the profile of the person who owns mintingApiToken, API Tokens'
  // If an older state was restored, the token that the workflow uses is one that the state does not know.
  const isSpare =
    found.some(({ id }) => known.includes(id)) ||
    state.pending.some(
      ({ resource }) => tokenTypes.includes(resource.type) && isOfPush(resource.name) === isPush,
    )
  const fix = isSpare
    ? `Make sure that no run is under way, then delete it under ${where}, or as docs/stack.md says.`
    : `It can be the one in use, because the stack has no other. Run pulumi up first, which creates another one${isPush ? '' : ', and hand it over'}. Then run npm run drift again.`
  return found
    .filter(
      ({ name, id, status }) => tokenNames.includes(name) && !known.includes(id) && status !== 'expired',
    )
    .map(({ id, name, issuedOn }) =>
      differs(
        `There is a token ${shown(id)} with the name ${name}, created ${shown(issuedOn)}, which the state does not know. It can change the zone.`,
        fix,
      ),
    )
}

/** Reports records of one hostname. Exported for its test. */
export function unknownRecords(
  found: readonly FoundRecord[],
  { state, name, plans }: { state: StackState; name: string; plans: readonly RecordPlan[] },
): readonly Finding[] {
  const known = ofType(state, types.record).map(({ id }) => id)
  const unknown = found.filter(one => one.name.toLowerCase() === name && !known.includes(one.id))
  return unknown.flatMap(one => {
    const plan = plans.find(({ name: declared, type }) => declared === name && type === one.type)
    if (plan === undefined) return leadingTypes.includes(one.type) ? [besides(one, name, plans)] : []
    const own = found.find(({ id, type }) => type === one.type && known.includes(id))
    // Addresses are not printed: logs of a public repository are public.
    return [
      differs(
        own
          ? `There is a record ${shown(one.id)} (${name}, ${plan.type}) besides the stack's own, ${shown(own.id)}. It answers with ${one.content === bootstrapAddresses[plan.type] ? 'the bootstrap address' : 'an address of its own'}.`
          : `There is a record ${shown(one.id)} (${name}, ${plan.type}), which the state does not know.`,
        own
          ? fixOfSecond(one.content, plan)
          : `Adopt it: ${adoption(one.id, plans.length === 1 ? null : titleOf(plan))}`,
      ),
    ]
  })
}

function besides({ id, type }: FoundRecord, name: string, plans: readonly RecordPlan[]): Finding {
  const declared = plans.filter(plan => plan.name === name).map(plan => plan.type)
  return differs(
    `There is a record ${shown(id)} (${name}, ${type}), which decides where people go, too.`,
    `Find out in the dashboard, under DNS, who added it and what for. The program declares only the ${declared.join(' and ')} record, and the DNS token can write the other one too.`,
  )
}

const fixOfSecond = (content: string, { type }: RecordPlan): string =>
  content === bootstrapAddresses[type]
    ? 'If no run is under way, delete it in the dashboard, under DNS: the action refuses to choose between two.'
    : 'Compare their addresses in the dashboard, under DNS, and keep the one that is right: the action refuses to choose between two.'

/** Reports each of the stack's own tokens that was changed after the last run. Exported for its test. */
export function changedTokens(found: readonly FoundToken[], state: StackState): readonly Finding[] {
  const known = ofType(state, ...tokenTypes).filter(({ toDelete }) => !toDelete)
  return known.flatMap(token => changedToken(found, token))
}

function changedToken(found: readonly FoundToken[], known: StateResource): readonly Finding[] {
  const modifiedOn = found.find(({ id }) => id === known.id)?.modifiedOn ?? null
  const recorded = known.outputs['modifiedOn']
  if (modifiedOn === null || typeof recorded !== 'string') return []
  // The answer to a creation and a later one can differ by a fraction of a second.
  if (!(Date.parse(modifiedOn) - Date.parse(recorded) > 1000)) return []
  return [
    differs(
      `${tokenTitle(known.name)} was changed at ${shown(modifiedOn)}, and the last run saw it as of ${shown(recorded)}: somebody edited or rolled it.`,
      `Find out who did. Then rotate it: ${rotateToken()}.`,
    ),
  ]
}
