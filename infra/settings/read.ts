import { type ClientCertificate, judgeCertificates } from '../../lib/client-certificate.ts'
import type { FullReading } from '../../lib/reading.ts'
import { parseDay } from '../../lib/settings/readers.ts'
import { readRows, type Table, type ValuesOf } from '../../lib/settings/table.ts'
import { readBasePath } from '../../src/settings/base-path.ts'
import { isListedOrigin } from '../../src/settings/clouds.ts'
import { defaultRedirectPath, redirectUriOf } from '../../src/settings/redirect-uri.ts'
import type { SettingName } from '../../src/settings/table.ts'
import { hostProblems } from './credential-hosts.ts'
import {
  fixOf,
  handlerRows,
  isKey,
  isUsed,
  type Key,
  keys,
  type ownKeys,
  ownNames,
  type Parts,
  unknownNames,
} from './keys.ts'
import { daysAfter, formatTime, secretLifetimeDays } from './readers/credentials.ts'
import { exampleOrigins } from './readers/origins.ts'
import { titleOf } from './readers/records.ts'
import {
  type CertificatePlan,
  type ClientSecretPlan,
  certificateKeys,
  type RecordPlan,
  type RecordPlans,
  type RecordSettings,
  type SignInSettings,
  type StackSettings,
} from './stack-settings.ts'

/** Prefix of the program's keys: the name of the project in Pulumi.yaml. */
const prefix = 'homeport:'

/** The accepted values of the program's own keys. */
type Values = Partial<ValuesOf<typeof ownKeys>>
type Texts = Readonly<Record<string, string>>

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
  const given = Object.fromEntries(own.map(([key, text]) => [key.slice(prefix.length), plain(text)]))
  const reading = readKeys(given, now, withheld)
  const problems = 'problems' in reading ? reading.problems.map(problem => prefix + problem) : []
  const all = [...problems, ...hostProblems(config)]
  return 'value' in reading && all.length === 0 ? reading : { problems: all }
}

/** Returns the text of a key. A list of a stack file arrives as JSON, and becomes lines. */
function plain(text: string): string {
  try {
    const list: unknown = text.trim().startsWith('[') ? JSON.parse(text) : null
    if (Array.isArray(list) && list.length > 0 && list.every(one => typeof one === 'string'))
      return list.join('\n').trim()
  } catch {
    // The reader of the key refuses it.
  }
  return text.trim()
}

/** Reads the keys of the program, without its name. */
function readKeys(given: Texts, now: number, withheld: readonly Key[]): FullReading<StackSettings> {
  const problems = [...unknownNames(Object.keys(given))]
  const countOfUnknown = problems.length
  const textOf = (key: Key): string => given[key] || (keys[key].default ?? '')

  function read(names: readonly Key[], context: object) {
    const table: Table = Object.fromEntries(names.map(key => [key, rowOf(key)]))
    const texts = Object.fromEntries(names.map(key => [key, given[key]]))
    return readRows(table, texts, { context, skipped: withheld })
  }

  const chosen = read(['record', 'signIn', 'push'], {})
  const parts: Parts = { record: true, signIn: 'worker', push: 'none', ...chosen.values }
  problems.push(...chosen.problems, ...contradictions(parts))
  // Which keys are needed follows from the parts, so anything more would be a guess.
  if (problems.length > countOfUnknown) return { problems }
  const unused = Object.keys(given)
    .filter(isKey)
    .filter(key => !isUsed(key, parts))
  if (unused.includes('importRecordId'))
    problems.push(
      'importRecordId adopts a record, but the configuration declares none. Remove it: pulumi config rm importRecordId',
    )

  const base = readBasePath(textOf('basePath'))
  // A wrong one is reported with the handler's other settings.
  const basePath = 'value' in base ? base.value : ''
  const hasSecrets = textOf('credential') === 'secret'
  const rest = ownNames.filter(
    key => !(key in parts) && isUsed(key, parts) && (hasSecrets || !key.startsWith('secretRotation')),
  )
  const own = read(rest, { ...parts, now, basePath })
  const values: Values = own.values
  problems.push(...own.problems)
  const hasWorker = parts.signIn === 'worker' || parts.push === 'worker' || Boolean(values.clock)
  const needsAccount = hasWorker || values.tokenOwner === 'account'
  if (needsAccount && !given['accountId']) problems.push(`accountId is missing. ${fixOf('accountId')}`)
  const { publicOrigin = exampleOrigins, redirectPath = defaultRedirectPath } = values
  const redirectUris = publicOrigin.map(({ origin }) => redirectUriOf(origin, redirectPath))
  const certificates: CertificatePlan[] = []
  const handler = parts.signIn === 'none' ? {} : readHandler()

  /** Reads the keys that become settings of the handler, in the order of its table. */
  function readHandler(): SignInSettings['handler'] {
    const found = read(handlerKeys, { redirectUris })
    problems.push(...found.problems.map(withFix))
    if (!withheld.includes('clientCertificate')) readCertificates(found.values)
    for (const key of ['instance', 'graphUrl'] as const) {
      const origin = found.values[key]
      if (typeof origin === 'string' && !isListedOrigin(origin) && values.allowUnlistedCloud !== true)
        problems.push(`${key} ${unlisted}`)
    }
    const texts = handlerRows.flatMap(({ name, row, key }): readonly (readonly [SettingName, string])[] => {
      const text = textOf(key)
      const value = found.values[keys[key].field ?? key]
      if (text === '' || row.secret) return []
      // Normalized, where possible, so that another spelling does not count as a change.
      const isSimple = ['string', 'boolean'].includes(typeof value)
      return [[name, isSimple ? String(value) : row.list ? text.replaceAll(/[\s,]+/g, ',') : text]]
    })
    return Object.fromEntries(texts)
  }

  function readCertificates(found: Readonly<Record<string, unknown>>): void {
    const set = certificateKeys.map(key => [key, (found[key] ?? null) as ClientCertificate | null] as const)
    const judged = judgeCertificates(set, now)
    if ('problems' in judged) problems.push(...judged.problems)
    // It is one of `set`.
    else
      for (const { setting, der, expiresAt } of judged.value)
        certificates.push({ key: setting as CertificatePlan['key'], der, endsOn: formatTime(expiresAt) })
    if (values.credential === 'certificate' && !given['clientCertificate'])
      problems.push(`clientCertificate is missing. ${fixOf('clientCertificate')}`)
  }

  if (problems.length > 0) return { problems }
  const { zoneId = '', accountId } = values
  return {
    value: {
      zoneId,
      accountId: accountId ?? '',
      record: parts.record ? recordOf(values) : null,
      signIn:
        parts.signIn === 'none'
          ? null
          : { ...signInOf(values, parts.signIn), redirectUris, handler, certificates },
      push: values.pushOrigin ?? null,
      clock: values.clock ?? null,
      credentials: values.credentialsExpireOn ?? [],
      unused,
    },
  }
}

const handlerKeys = handlerRows.map(({ key }) => key)

/** Returns a row as the kit reads it: a setting without a `fix` is optional there. */
function rowOf(key: Key) {
  const { isRequired, ...row } = keys[key]
  return isRequired ? { ...row, fix: fixOf(key) } : row
}

/** Adds the command to a problem of the handler's reader, which knows no stack. */
function withFix(problem: string): string {
  const [key] = problem.split(' ', 1) as [Key]
  const fix = fixOf(problem.startsWith('sessionRecheck needs ') ? 'autoSignIn' : key)
  return problem.endsWith(fix) ? problem : `${problem} ${fix}`
}

const unlisted =
  'is not an address that Microsoft lists for one of its clouds, and what it leads to would get every code and the client secret. Remove it, or, if the address is yours: pulumi config set --plaintext allowUnlistedCloud true'

/** Finds parts that cannot be together. */
function contradictions({ record, signIn, push }: Parts): readonly string[] {
  if (record) return []
  const empty =
    'record is false and signIn is none, so the stack would have nothing. Set one of them: pulumi config set --plaintext record true'
  const withoutRecords =
    'push is worker, but record is false, and the endpoint keeps the records of its stack. Declare them, or remove it: pulumi config set --plaintext push none'
  return [...(signIn === 'none' ? [empty] : []), ...(push === 'worker' ? [withoutRecords] : [])]
}

function recordOf(values: Values): RecordSettings {
  const { hostname = [], recordType = [], importRecordId, repository } = values
  const plans = hostname.flatMap(name =>
    recordType.map(
      (type): RecordPlan => ({ name, type, importId: importRecordId?.get(titleOf({ name, type })) ?? null }),
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

function signInOf(
  values: Values,
  place: 'worker' | 'host',
): Omit<SignInSettings, 'redirectUris' | 'handler' | 'certificates'> {
  const [a, b] = [secretPlan('a', values.secretRotationA), secretPlan('b', values.secretRotationB)] as const
  // Every key of the part was read by now.
  const own = values as ValuesOf<typeof ownKeys>
  return {
    ...own,
    clientSecrets: values.credential !== 'secret' ? [] : b.rotatedOn > a.rotatedOn ? [b, a] : [a, b],
    worker: place === 'host' ? null : own.publicOrigin[0],
  }
}

function secretPlan(slot: ClientSecretPlan['slot'], rotatedOn = ''): ClientSecretPlan {
  const ends = daysAfter(parseDay(rotatedOn) ?? 0, secretLifetimeDays)
  return { slot, rotatedOn, endsOn: formatTime(ends) }
}
