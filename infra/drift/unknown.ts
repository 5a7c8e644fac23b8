import { types } from '../policy/rule.ts'
import { recordArguments } from '../record.ts'
import type { Settings } from '../settings.ts'
import { shown } from '../shown.ts'
import { ofType, type StackState, tokenTypes } from '../stack-state.ts'
import type { Difference } from './difference.ts'
import { ifRead, type Read, type ReadResult, readPages, textOf } from './service.ts'
import type { StackView } from './stack.ts'

export interface FoundToken {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly issuedOn: string | null
}

export interface FoundRecord {
  readonly id: string
  readonly name: string
  readonly type: string
}

/** Finds tokens with the stack's name and address records with its hostname that the state does not know. */
export async function unknownDifferences(
  { serviceName, state }: StackView,
  settings: Settings,
  read: Read,
): Promise<readonly Difference[]> {
  const [tokens, records] = await Promise.all([readTokens(read, settings), readRecords(read, settings)])
  return [
    ...ifRead(tokens, found => unknownTokens(found, { serviceName, state, settings })),
    ...ifRead(records, found => unknownRecords(found, { state, settings })),
  ]
}

function readTokens(read: Read, { accountId, token }: Settings): Promise<ReadResult<readonly FoundToken[]>> {
  const [path, permission] =
    token.owner === 'account'
      ? [`/accounts/${accountId}/tokens`, 'Account API Tokens Read']
      : ['/user/tokens', 'API Tokens Read, as the person who owns mintingApiToken']
  return readPages(read, `${path}?`, 'the tokens', permission, one => ({
    id: textOf(one, 'id') ?? '',
    name: textOf(one, 'name') ?? '',
    status: textOf(one, 'status') ?? '',
    issuedOn: textOf(one, 'issued_on'),
  }))
}

function readRecords(read: Read, settings: Settings): Promise<ReadResult<readonly FoundRecord[]>> {
  const { zoneId, name, type } = recordArguments(settings)
  const path = `/zones/${zoneId}/dns_records?${new URLSearchParams({ name, type })}&`
  return readPages(read, path, 'the records', 'DNS Read', one => ({
    id: textOf(one, 'id') ?? '',
    name: textOf(one, 'name') ?? '',
    type: textOf(one, 'type') ?? '',
  }))
}

function unknownTokens(
  found: readonly FoundToken[],
  { serviceName, state, settings }: { serviceName: string; state: StackState; settings: Settings },
): readonly Difference[] {
  const known = ofType(state, ...tokenTypes).map(({ id }) => id)
  const where =
    settings.token.owner === 'account'
      ? 'Manage account, Account API tokens'
      : 'the profile of the person who owns mintingApiToken, API Tokens'
  return found
    .filter(({ name, id, status }) => name === serviceName && !known.includes(id) && status !== 'expired')
    .map(({ id, issuedOn }) => ({
      level: 'error',
      text: `There is a token ${shown(id)} with the name ${serviceName}, created ${shown(issuedOn)}, which the state does not know. It can change the zone.`,
      cure: `Make sure that no run is under way, then delete it under ${where}, or as docs/infrastructure.md says.`,
    }))
}

/** Exported for its test. */
export function unknownRecords(
  found: readonly FoundRecord[],
  { state, settings }: { state: StackState; settings: Settings },
): readonly Difference[] {
  const known = ofType(state, types.record).map(({ id }) => id)
  const { name, type } = recordArguments(settings)
  const present = found.filter(one => one.type === type && one.name.toLowerCase() === name)
  const own = present.find(({ id }) => known.includes(id))
  return present
    .filter(({ id }) => !known.includes(id))
    .map(({ id }) => ({
      level: 'error',
      text: own
        ? `There is a record ${shown(id)} (${name}, ${type}) besides the stack's own, ${shown(own.id)}.`
        : `There is a record ${shown(id)} (${name}, ${type}), which the state does not know.`,
      cure: own
        ? 'Compare their addresses in the dashboard, under DNS, and keep one: the action refuses to choose between two.'
        : `Adopt it: pulumi config set --plaintext importRecordId ${/^[0-9a-f]{32}$/.test(id) ? id : '…'}, then pulumi up, then pulumi config rm importRecordId.`,
    }))
}
