import { textOf } from '../../json.ts'
import { adoption } from '../../resources/existing-record.ts'
import type { StackSettings } from '../../settings/stack-settings.ts'
import { shown } from '../../shown.ts'
import { recordArguments, tokenTypes, types } from '../../stack-facts.ts'
import { findIn, ofType, type StackState } from '../../stack-state.ts'
import { type Read, readPages } from '../clients/cloudflare.ts'
import { rotateToken } from '../expiry.ts'
import { type Finding, ifRead, type ReadResult } from '../finding.ts'
import type { StackView } from '../stack.ts'

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
 * Finds tokens with the stack's name and records with its hostname that the state does not know, and a DNS token that
 * somebody changed.
 */
export async function unknownDifferences(
  { tokenNames, state }: StackView,
  settings: StackSettings,
  read: Read,
): Promise<readonly Finding[]> {
  const [tokens, records] = await Promise.all([readTokens(read, settings), readRecords(read, settings)])
  return [
    ...ifRead(tokens, found => [
      ...unknownTokens(found, { tokenNames, state, settings }),
      ...changedToken(found, state),
    ]),
    ...ifRead(records, found => unknownRecords(found, { state, settings })),
  ]
}

function readTokens(
  read: Read,
  { accountId, token }: StackSettings,
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

function readRecords(read: Read, settings: StackSettings): Promise<ReadResult<readonly FoundRecord[]>> {
  const { zoneId, name } = recordArguments(settings)
  const path = `/zones/${zoneId}/dns_records?${new URLSearchParams({ name })}&`
  return readPages(read, path, 'the records', 'DNS Read', one => ({
    id: textOf(one, 'id') ?? '',
    name: textOf(one, 'name') ?? '',
    type: textOf(one, 'type') ?? '',
    content: textOf(one, 'content') ?? '',
  }))
}

/** Exported for its test. */
export function unknownTokens(
  found: readonly FoundToken[],
  {
    tokenNames,
    state,
    settings,
  }: { tokenNames: readonly string[]; state: StackState; settings: StackSettings },
): readonly Finding[] {
  const known = ofType(state, ...tokenTypes).map(({ id }) => id)
  const where =
    settings.token.owner === 'account'
      ? 'Manage account, Account API tokens'
      : 'the profile of the person who owns mintingApiToken, API Tokens'
  // If an older state was restored, the token that the workflow uses is one that the state does not know.
  const isSpare =
    found.some(({ id }) => known.includes(id)) ||
    state.pending.some(({ resource }) => tokenTypes.includes(resource.type))
  const fix = isSpare
    ? `Make sure that no run is under way, then delete it under ${where}, or as docs/infrastructure.md says.`
    : 'It can be the one in use, because the stack has no other. Run pulumi up first, which creates another one, and hand it over. Then run npm run drift again.'
  return found
    .filter(
      ({ name, id, status }) => tokenNames.includes(name) && !known.includes(id) && status !== 'expired',
    )
    .map(({ id, name, issuedOn }) => ({
      level: 'error',
      text: `There is a token ${shown(id)} with the name ${name}, created ${shown(issuedOn)}, which the state does not know. It can change the zone.`,
      fix,
    }))
}

/** Exported for its test. */
export function unknownRecords(
  found: readonly FoundRecord[],
  { state, settings }: { state: StackState; settings: StackSettings },
): readonly Finding[] {
  const known = ofType(state, types.record).map(({ id }) => id)
  const { name, type } = recordArguments(settings)
  const unknown = found.filter(one => one.name.toLowerCase() === name && !known.includes(one.id))
  const own = found.find(one => known.includes(one.id))
  // Addresses are not printed: logs of a public repository are public.
  const same = unknown
    .filter(one => one.type === type)
    .map(({ id, content }) => ({
      level: 'error' as const,
      text: own
        ? `There is a record ${shown(id)} (${name}, ${type}) besides the stack's own, ${shown(own.id)}. It answers with ${content === settings.bootstrapAddress ? 'the bootstrap address' : 'an address of its own'}.`
        : `There is a record ${shown(id)} (${name}, ${type}), which the state does not know.`,
      fix: own ? fixOfSecond(content, settings) : `Adopt it: ${adoption(id)}`,
    }))
  const others = unknown
    .filter(one => one.type !== type && leadingTypes.includes(one.type))
    .map(one => ({
      level: 'error' as const,
      text: `There is a record ${shown(one.id)} (${name}, ${one.type}), which decides where people go, too.`,
      fix: 'Find out in the dashboard, under DNS, who added it and what for. The program declares only the A record, and the DNS token can write the other one too.',
    }))
  return [...same, ...others]
}

const fixOfSecond = (content: string, { bootstrapAddress }: StackSettings): string =>
  content === bootstrapAddress
    ? 'If no run is under way, delete it in the dashboard, under DNS: the action refuses to choose between two.'
    : 'Compare their addresses in the dashboard, under DNS, and keep the one that is right: the action refuses to choose between two.'

/** Reports the stack's own token if it was changed after the last run. Exported for its test. */
export function changedToken(found: readonly FoundToken[], state: StackState): readonly Finding[] {
  const known = findIn(state, tokenTypes)
  const modifiedOn = found.find(({ id }) => id === known?.id)?.modifiedOn ?? null
  const recorded = known?.outputs['modifiedOn']
  if (modifiedOn === null || typeof recorded !== 'string') return []
  // The answer to a creation and a later one can differ by a fraction of a second.
  if (!(Date.parse(modifiedOn) - Date.parse(recorded) > 1000)) return []
  return [
    {
      level: 'error',
      text: `The DNS token was changed at ${shown(modifiedOn)}, and the last run saw it as of ${shown(recorded)}: somebody edited or rolled it.`,
      fix: `Find out who did. Then rotate it: ${rotateToken()}.`,
    },
  ]
}
