import type { Reading } from '../../src/settings/problems.ts'
import { readBoolean } from '../../src/settings/values.ts'
import { KeyReader } from './key-reader.ts'
import { fixOf, type Key, partsOf, sortNames } from './keys.ts'
import { hasOneOf, type Parts, pushPlaces, signInPlaces } from './parts.ts'
import { type PushSettings, readPushSettings } from './push-settings.ts'
import { readChoice, readDay, readId } from './readers.ts'
import { type RecordSettings, readRecordSettings } from './record-settings.ts'
import { readSignInSettings, type SignInSettings } from './sign-in-settings.ts'

/** The validated configuration, without its secrets. */
export interface StackSettings {
  /** Null if no part needs it. */
  readonly zoneId: string | null
  /** Null if no part needs it. */
  readonly accountId: string | null
  /** Null if the stack has no record. */
  readonly record: RecordSettings | null
  /** Null if the stack has no sign-in. */
  readonly signIn: SignInSettings | null
  /** Null if the stack has no push endpoint. */
  readonly push: PushSettings | null
  /** The day on which each token ends that somebody created by hand, `2027-05-31`; null if it is not known. */
  readonly tokenEnds: Readonly<Record<TokenEnd, string | null>>
  /** Keys that are set, but belong to a part that the stack does not have. */
  readonly unused: readonly Key[]
}

/** Keys for the ends of the tokens that somebody creates by hand. No read tells all of them. */
const tokenEndKeys = [
  'mintingTokenExpiresOn',
  'deployTokenExpiresOn',
  'readingTokenExpiresOn',
  'githubTokenExpiresOn',
] as const
export type TokenEnd = (typeof tokenEndKeys)[number]

/** Keys that name something to keep: without their part, they contradict the configuration. */
const adopting = { importRecordId: 'record', importDatabaseId: 'database' } as const

/**
 * Reads every key. Returns all settings, or the problems of every wrong key, so that fixing one does not reveal the
 * next. No problem repeats a secret.
 * @param given the stack's configuration by key, without the project's name
 * @param now milliseconds since 1970
 * @param withheld keys whose values the caller may not see, and which are therefore not checked
 */
export function readStackSettings(
  given: ReadonlyMap<string, string>,
  now: number,
  withheld: readonly Key[] = [],
): Reading<StackSettings, string> {
  const reader = new KeyReader(given, now, withheld)
  const { known, problems } = sortNames(given.keys())
  reader.problems.push(...problems)
  const parts: Parts = {
    record: reader.readShared('record', readBoolean) ?? true,
    signIn: reader.read('signIn', text => readChoice(text, signInPlaces)) ?? 'worker',
    push: reader.read('push', text => readChoice(text, pushPlaces)) ?? 'none',
  }
  if (!parts.record && parts.signIn === 'none') {
    reader.refuse(
      'record',
      'is false and signIn is none, so the stack would have nothing. Set one of them: pulumi config set --plaintext record true',
    )
  }
  if (!parts.record && parts.push === 'worker') {
    reader.refuse(
      'push',
      'is worker, but record is false, and the endpoint keeps the records of its stack. Declare them, or remove it: pulumi config set --plaintext push none',
    )
  }
  // Which keys are needed follows from the parts, so anything more would be a guess.
  if (reader.problems.length > problems.length) return { problems: reader.problems }
  const unused = known.filter(key => {
    const users = partsOf(key)
    return users !== null && !hasOneOf(users, parts)
  })
  for (const [key, noun] of Object.entries(adopting) as [keyof typeof adopting, string][]) {
    if (unused.includes(key)) {
      reader.refuse(
        key,
        `adopts a ${noun}, but the configuration declares none. Remove it: pulumi config rm ${key}`,
      )
    }
  }
  const isUsed = (key: Key): boolean => {
    const users = partsOf(key)
    return users === null || hasOneOf(users, parts)
  }
  const idIn = (key: 'zoneId' | 'accountId'): string | null =>
    isUsed(key) ? reader.read(key, text => readId(text, "the zone's overview page")) : null
  const [zoneId, accountId] = [idIn('zoneId'), idIn('accountId')]
  const record = parts.record ? readRecordSettings(reader, zoneId ?? '') : null
  const needsAccount =
    parts.signIn === 'worker' || parts.push === 'worker' || record?.token.owner === 'account'
  if (needsAccount && !reader.isGiven('accountId')) {
    reader.refuse('accountId', `is missing. ${fixOf('accountId')}`)
  }
  const ids = { zoneId: zoneId ?? '', accountId: accountId ?? '' }
  const signIn =
    parts.signIn === 'none'
      ? null
      : readSignInSettings(reader, parts.signIn, ids, record?.plans.map(({ name }) => name) ?? [])
  const push =
    parts.push === 'worker' && record
      ? readPushSettings(reader, ids, record.plans, signIn?.publicOrigins ?? [])
      : null
  // A day that has passed is no reason to refuse a deployment: `npm run drift` reports it.
  const tokenEnds = Object.fromEntries(
    tokenEndKeys.map(key => [
      key,
      isUsed(key) && reader.read(key, readDay) !== null ? reader.textOf(key) : null,
    ]),
  ) as StackSettings['tokenEnds']
  return reader.problems.length > 0
    ? { problems: reader.problems }
    : { value: { zoneId, accountId, record, signIn, push, tokenEnds, unused } }
}
