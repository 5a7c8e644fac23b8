import type { FullReading } from '../../lib/reading.ts'
import { readBasePath } from '../../src/settings/base-path.ts'
import { isListedOrigin } from '../../src/settings/clouds.ts'
import { defaultRedirectPath, redirectUriOf } from '../../src/settings/redirect-uri.ts'
import type { SettingName } from '../../src/settings/table.ts'
import { hostProblems } from './credential-hosts.ts'
import {
  fixOf,
  handlerRows,
  isUsed,
  type Key,
  keys,
  type OwnKey,
  ownKeys,
  sortNames,
  type ValueOf,
  type ValuesOf,
} from './keys.ts'
import {
  type CredentialEnd,
  daysAfter,
  type Earlier,
  exampleOrigins,
  formatTime,
  type Parts,
  type RecordType,
  readDay,
  readList,
  secretLifetimeDays,
  titleOf,
} from './readers.ts'

/** A record that the stack declares. */
export interface RecordPlan {
  readonly name: string
  readonly type: RecordType
  /** The record to adopt; null to create one. */
  readonly importId: string | null
}

/** In the order of the configuration: by hostname, then by type. */
export type RecordPlans = readonly [RecordPlan, ...RecordPlan[]]

/** The token that may change the records. */
export interface TokenPlan {
  readonly owner: 'user' | 'account'
  readonly rotation: string
  readonly expiresOn: string | null
  readonly allowedCidrs: readonly string[]
}

/** The environment of a repository that receives the token. */
export interface HandOver {
  readonly owner: string
  readonly repository: string
  readonly environment: string
}

/** The part `record`. */
export interface RecordSettings {
  readonly plans: RecordPlans
  readonly token: TokenPlan
  /** Null if you store the token by hand. */
  readonly handOver: HandOver | null
}

/** One of the two client secrets. */
export interface ClientSecretPlan {
  readonly slot: 'a' | 'b'
  /** The day it was made, `2026-03-31`. */
  readonly rotatedOn: string
  /** When it expires, `2026-09-27T00:00:00Z`. It follows from the day alone, so it is the same in every run. */
  readonly endsOn: string
}

/** What only a handler at Cloudflare has. */
export interface WorkerSettings {
  /** The only host of `publicOrigins`. */
  readonly host: string
  /** Null to leave the place to Cloudflare. */
  readonly jurisdiction: ValueOf<'databaseJurisdiction'> | null
}

/** The part `signIn`: the values of its keys, and what follows from them. */
export interface SignInSettings extends ValuesOf<'signIn' | 'worker'> {
  readonly publicOrigins: readonly [string, ...string[]]
  /** One for each origin. Built here and nowhere else; the registration, the handler and the output share them. */
  readonly redirectUris: readonly [string, ...string[]]
  /** Newest first. */
  readonly clientSecrets: readonly [ClientSecretPlan, ClientSecretPlan]
  /** The handler's settings that have a key and are not secret, as texts by name. Blank ones are left out. */
  readonly handler: Readonly<Partial<Record<SettingName, string>>>
  /** Null if the handler runs on a host. */
  readonly worker: WorkerSettings | null
}

/** The part `push`. Its token has the owner, the rotation and the end of the records' token. */
export interface PushSettings {
  /** Where routers send their address, `https://push.example.com`. */
  readonly origin: string
  /** The host of `origin`. */
  readonly host: string
}

/** The validated configuration, without its secrets. */
export interface StackSettings {
  /** 32 hex digits. Empty if no part needs it. */
  readonly zoneId: string
  /** 32 hex digits. Empty if no part needs it. */
  readonly accountId: string
  /** Null if the stack has no record. */
  readonly record: RecordSettings | null
  /** Null if the stack has no sign-in. */
  readonly signIn: SignInSettings | null
  /** Null if the stack has no push endpoint. */
  readonly push: PushSettings | null
  /** The workflow that a Worker starts, `owner/repository/file.yml`; null for none. It is the endpoint's, if there is one. */
  readonly clock: string | null
  /** Of credentials that somebody created by hand. No read tells all of them. */
  readonly credentials: readonly CredentialEnd[]
  /** Keys that are set, but belong to a part that the stack does not have. */
  readonly unused: readonly Key[]
}

type Values = { -readonly [K in OwnKey]?: ValueOf<K> }

/** What all keys of the program begin with: the name of the project in Pulumi.yaml. */
const prefix = 'homeport:'

/**
 * Reads the configuration of a stack. Returns all settings, or the problems of every wrong key, so that fixing one does not reveal
 * the next. Each problem begins with its key, and repeats no secret.
 * @param config texts by whole keys, such as `homeport:zoneId`
 * @param now milliseconds since 1970
 * @param withheld keys whose values the caller may not see, and which are therefore not checked
 */
export function readStackSettings(
  config: ReadonlyMap<string, string>,
  now: number,
  withheld: readonly Key[] = [],
): FullReading<StackSettings> {
  const own = [...config].filter(([key]) => key.startsWith(prefix))
  const given = new Map(own.map(([key, text]) => [key.slice(prefix.length), text]))
  const reading = readOwnKeys(given, now, withheld)
  const problems = 'problems' in reading ? reading.problems.map(problem => prefix + problem) : []
  const all = [...problems, ...hostProblems(config)]
  return 'value' in reading && all.length === 0 ? reading : { problems: all }
}

/** Reads the keys of the program, without its name. */
function readOwnKeys(
  given: ReadonlyMap<string, string>,
  now: number,
  withheld: readonly Key[],
): FullReading<StackSettings> {
  const { known, problems } = sortNames(given.keys())
  const refused = [...problems]
  const textOf = (key: Key): string => given.get(key)?.trim() || (keys[key] ?? '')
  const isGiven = (key: Key): boolean => (given.get(key)?.trim() ?? '') !== ''
  const report = (key: Key, problem: string): void => void refused.push(`${key} ${problem}`)
  const base = readBasePath(textOf('basePath'))
  // A wrong one is reported with the handler's other settings.
  const basePath = 'value' in base ? base.value : ''
  const values: Values = {}

  function readOwn(key: OwnKey): void {
    if (withheld.includes(key)) return
    const text = textOf(key)
    if (text === '') {
      if (keys[key] === null) report(key, `is missing. ${fixOf(key)}`)
      return
    }
    const earlier: Earlier = { ...values, now, basePath }
    const reading: FullReading<unknown> = ownKeys[key].read(text, earlier, isGiven(key))
    if ('problems' in reading) for (const problem of reading.problems) report(key, problem)
    else Object.assign(values, { [key]: reading.value })
  }

  for (const key of ['record', 'signIn', 'push'] as const) readOwn(key)
  const parts: Parts = {
    record: values.record ?? true,
    signIn: values.signIn ?? 'worker',
    push: values.push ?? 'none',
  }
  for (const [key, problem] of contradictions(parts)) report(key, problem)
  // Which keys are needed follows from the parts, so anything more would be a guess.
  if (refused.length > problems.length) return { problems: refused }
  const unused = known.filter(key => !isUsed(key, parts))
  if (unused.includes('importRecordId'))
    report(
      'importRecordId',
      'adopts a record, but the configuration declares none. Remove it: pulumi config rm importRecordId',
    )

  const rest = (Object.keys(ownKeys) as OwnKey[]).filter(key => !Object.hasOwn(parts, key))
  for (const key of rest) if (isUsed(key, parts)) readOwn(key)
  const hasWorker = parts.signIn === 'worker' || parts.push === 'worker' || values.clock !== undefined
  const needsAccount = hasWorker || values.tokenOwner === 'account'
  if (needsAccount && !isGiven('accountId')) report('accountId', `is missing. ${fixOf('accountId')}`)
  const clockKeys = ['clock', 'clockToken'] as const
  const missing = clockKeys.filter(key => !isGiven(key) && !withheld.includes(key))
  if (isUsed('clock', parts) && missing.length === 1 && clockKeys.some(isGiven))
    for (const key of missing) report(key, `is missing. ${fixOf(key)}`)
  const redirectUris = redirectUrisOf(values)
  const handler = parts.signIn === 'none' ? {} : readHandler()

  /** Reads the keys that become settings of the handler, in the order of its table. */
  function readHandler(): SignInSettings['handler'] {
    const fields: Record<string, unknown> = { redirectUris }
    const texts: Partial<Record<SettingName, string>> = {}
    for (const { name, row, key } of handlerRows) {
      if (!row.read || withheld.includes(key)) continue
      const { read, field = key, list, fix } = row
      const listed = list ? readList(textOf(key)) : null
      const text = listed === null ? textOf(key) : 'value' in listed ? listed.value.join(',') : null
      if (text === null) {
        for (const problem of listed && 'problems' in listed ? listed.problems : []) report(key, problem)
        continue
      }
      const reading = text === '' && fix ? { problems: ['is missing.'] } : read(text, fields)
      const isWaiting = key === 'sessionRecheck' && fields['autoSignIn'] === false
      if ('problems' in reading)
        for (const problem of reading.problems)
          report(key, `${problem} ${fixOf(isWaiting ? 'autoSignIn' : key)}`)
      else {
        fields[field] = reading.value
        // A normal form, where there is one, so that a spelling is no change.
        const isSimple = ['string', 'boolean'].includes(typeof reading.value)
        if (text !== '' && !row.secret) texts[name] = isSimple ? String(reading.value) : text
      }
    }
    for (const key of ['instance', 'graphUrl'] as const) {
      const origin = fields[key]
      if (typeof origin === 'string' && !isListedOrigin(origin) && values.allowUnlistedCloud !== true)
        report(key, unlisted)
    }
    return texts
  }

  if (refused.length > 0) return { problems: refused }
  const { zoneId = '', accountId = '' } = values
  return {
    value: {
      zoneId,
      accountId,
      record: parts.record ? recordOf(values) : null,
      signIn: parts.signIn === 'none' ? null : { ...signInOf(values, parts.signIn), redirectUris, handler },
      push: values.pushOrigin ? { origin: values.pushOrigin.origin, host: values.pushOrigin.hostname } : null,
      clock: values.clock ?? null,
      credentials: values.credentialsExpireOn ?? [],
      unused,
    },
  }
}

const unlisted =
  'is not an address that Microsoft lists for one of its clouds, and what it leads to would get every code and the client secret. Remove it, or, if the address is yours: pulumi config set --plaintext allowUnlistedCloud true'

/** Finds parts that cannot be together. */
function contradictions({ record, signIn, push }: Parts): readonly (readonly [Key, string])[] {
  if (record) return []
  const nothing =
    'is false and signIn is none, so the stack would have nothing. Set one of them: pulumi config set --plaintext record true'
  const nobodys =
    'is worker, but record is false, and the endpoint keeps the records of its stack. Declare them, or remove it: pulumi config set --plaintext push none'
  return [
    ...(signIn === 'none' ? [['record', nothing] as const] : []),
    ...(push === 'worker' ? [['push', nobodys] as const] : []),
  ]
}

function recordOf(values: Values): RecordSettings {
  const { hostname = [], recordType = [], importRecordId: ids, repository } = values
  const plans = hostname.flatMap(name =>
    recordType.map(
      (type): RecordPlan => ({ name, type, importId: ids?.get(titleOf({ name, type })) ?? null }),
    ),
  )
  return {
    // A list of names is never empty, and neither is one of types.
    plans: plans as readonly RecordPlan[] as RecordPlans,
    token: {
      owner: values.tokenOwner ?? 'user',
      rotation: values.tokenRotation ?? '',
      expiresOn: values.tokenExpiresOn ?? null,
      allowedCidrs: values.tokenAllowedCidrs ?? [],
    },
    handOver: repository ? { ...repository, environment: values.environment ?? '' } : null,
  }
}

function redirectUrisOf({
  publicOrigin,
  redirectPath = defaultRedirectPath,
}: Values): SignInSettings['redirectUris'] {
  const [first, ...others] = publicOrigin ?? exampleOrigins
  const uriOf = ({ origin }: URL) => redirectUriOf(origin, redirectPath)
  return [uriOf(first), ...others.map(uriOf)]
}

function signInOf(
  values: Values,
  place: 'worker' | 'host',
): Omit<SignInSettings, 'redirectUris' | 'handler'> {
  const [first, ...others] = values.publicOrigin ?? exampleOrigins
  const secrets = [secretPlan('a', values.secretRotationA), secretPlan('b', values.secretRotationB)] as const
  const [a, b] = secrets
  // Every required key of the part was read by now, and an optional one that is not set is null.
  const own = Object.fromEntries(
    (Object.keys(ownKeys) as OwnKey[]).map(key => [key, values[key] ?? null]),
  ) as unknown as ValuesOf<'signIn' | 'worker'>
  return {
    ...own,
    publicOrigins: [first.origin, ...others.map(({ origin }) => origin)],
    clientSecrets: b.rotatedOn > a.rotatedOn ? [b, a] : [a, b],
    worker:
      place === 'host' ? null : { host: first.hostname, jurisdiction: values.databaseJurisdiction ?? null },
  }
}

function secretPlan(slot: ClientSecretPlan['slot'], rotatedOn = ''): ClientSecretPlan {
  const begins = readDay(rotatedOn)
  const ends = 'value' in begins ? daysAfter(begins.value, secretLifetimeDays) : 0
  return { slot, rotatedOn, endsOn: formatTime(ends) }
}
