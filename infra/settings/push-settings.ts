import { readHosts } from '../../push/hosts.ts'
import type { KeyReader } from './key-reader.ts'
import { type KeyReading, readPublicOrigin } from './readers.ts'
import { type RecordPlans, titleOf } from './records.ts'

/** The part `push`. Who owns its token, and when that ends, is the same as for the token of the records. */
export interface PushSettings {
  readonly accountId: string
  readonly zoneId: string
  /** Where routers send their address, `https://push.example.com`. */
  readonly origin: string
  /** The host of `origin`. */
  readonly host: string
  /** Any text. Another one creates a new token. */
  readonly tokenRotation: string
}

const exampleOrigin = 'https://push.example.com'

/** The longest text of a secret (documentation of Workers, Limits). About 40 names. */
const maxBytes = 5 * 1024

/**
 * Reads the keys of the part `push`. The lines of `pushHosts` are checked, and returned to nobody: they are secret.
 * @param ids of the zone and account; empty if they were refused
 * @param plans the stack's records
 * @param origins of the sign-in
 */
export function readPushSettings(
  reader: KeyReader,
  ids: { readonly zoneId: string; readonly accountId: string },
  plans: RecordPlans,
  origins: readonly string[],
): PushSettings {
  const given = reader.read('pushOrigin', text => readPublicOrigin(text, 'worker', exampleOrigin))
  const { origin, hostname: host } = given ?? new URL(exampleOrigin)
  const taken = given && takenBy(host, plans, origins)
  if (taken) {
    const problem = `has the host ${host}, which ${taken}. A custom domain has a host of its own. Use another one.`
    reader.refuse('pushOrigin', problem)
  }
  if (!reader.isWithheld('pushHosts')) reader.read('pushHosts', text => readPushHosts(text, plans))
  return { ...ids, origin, host, tokenRotation: reader.textOf('pushTokenRotation') }
}

/** Returns what has a host already, in words that follow "which"; null if nothing has. */
function takenBy(host: string, plans: RecordPlans, origins: readonly string[]): string | null {
  if (plans.some(({ name }) => name === host)) return 'is a hostname of the records'
  return origins.some(origin => URL.parse(origin)?.hostname === host) ? 'is that of publicOrigin' : null
}

/** Reads the lines of the endpoint. Each record belongs to the stack, which says that it exists; the endpoint has its address. */
export function readPushHosts(text: string, plans: RecordPlans): KeyReading<null> {
  const hosts = readHosts(text)
  if ('problem' in hosts) return { problems: [hosts.problem] }
  const titles = plans.map(titleOf)
  const problems = hosts.value
    .flatMap(({ name, types }) => types.map(type => titleOf({ name, type })))
    .filter(title => !titles.includes(title))
    .map(
      title =>
        `has ${title}, but the stack declares ${titles.join(', ')}. The endpoint only keeps records of its stack: add it to hostname and recordType, or remove it here.`,
    )
  const bytes = Buffer.byteLength(text)
  if (bytes > maxBytes)
    problems.push(`has ${bytes} bytes, and a secret can have ${maxBytes}. Use a second stack for some names.`)
  return problems.length > 0 ? { problems } : { value: null }
}
