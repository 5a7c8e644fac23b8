import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError } from '../../lib/command.ts'
import { type Accounts, prefix } from '../support/accounts.ts'
import { differences, readAnswer } from '../support/answer.ts'
import { type Double, mintingGroup, openDouble } from '../support/double.ts'
import { createMask, leakIn } from '../support/mask.ts'
import { type Exchange, exchange } from '../support/recorder.ts'
import { intended } from './questions.ts'

interface Recording {
  readonly name: string
  /** The day, in ISO 8601. */
  readonly recorded: string
  readonly exchanges: readonly Exchange[]
}

export type Print = (line: string) => void

/** A token that exists nowhere. */
export const unknownToken = `${prefix}-token-that-does-not-exist`
const maxAgeMs = 366 * 24 * 3600 * 1000

/** Writes a recording, masked. @throws CommandError if something of somebody is left, and writes nothing */
export async function writeRecording(
  folder: string,
  { name, exchanges }: Omit<Recording, 'recorded'>,
  known: Readonly<Record<string, string>>,
  mask = createMask(known),
): Promise<void> {
  const recorded = new Date().toISOString().slice(0, 10)
  const masked = `${JSON.stringify({ name, recorded, exchanges: mask(exchanges) }, null, 2)}\n`
  const leak = leakIn(masked, known)
  if (leak) throw new CommandError(`The recording "${name}" is not written: it still has ${leak}.`)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name.replaceAll(/\W+/g, '-')}.json`), masked)
}

/** What accounts have, by the names of placeholders. What can contain another comes first. */
export function namesIn({ cloudflare: at, narrowToken = '', entra, github }: Accounts) {
  return {
    ...{ token: at.adminToken, 'narrow token': narrowToken, 'unknown token': unknownToken },
    ...(github && { 'GitHub token': github.token, repository: `${github.owner}/${github.repository}` }),
    ...(entra && {
      tenant: entra.tenantId,
      client: entra.clientId ?? '',
      login: new URL(entra.instance).origin,
    }),
    ...(entra && { 'client secret': entra.clientSecret ?? '', graph: new URL(entra.graphUrl).host }),
    ...(entra && { 'deployer secret': entra.deployer.clientSecret }),
    ...{ zone: at.zoneId, account: at.accountId, 'zone name': at.zoneName },
  }
}

/** What numbered placeholders mean at the double until an answer of it says more. */
const examples: Readonly<Record<string, (number: string) => string>> = {
  id: number => number.padStart(32, '0'),
  secret: number => `secret-${number}`.padEnd(43, 'x'),
  'e-mail': number => `person-${number}@example.com`,
  IPv4: number => `203.0.113.${number}`,
  IPv6: number => `2001:db8::${number}`,
}

/** Sends each recorded request to the double. Returns what it answers otherwise. */
export async function replay(
  exchanges: readonly Exchange[],
  { roots, accounts }: Pick<Double, 'roots' | 'accounts'>,
): Promise<readonly string[]> {
  const learned = new Map(Object.entries(namesIn(accounts)).map(([name, value]) => [`<${name}>`, value]))
  const meaning = (whole: string, kind: string, number: string) =>
    learned.get(whole) ?? examples[kind]?.(number) ?? whole
  const placeholder = /<([\w-]+(?: [a-z]+)?)(?: (\d+))?>/g
  const fill = <Value>(masked: Value): Value =>
    JSON.parse(JSON.stringify(masked).replace(placeholder, meaning))
  const fillForm = (masked: string): string =>
    masked.replace(placeholder, (...[whole, kind, number]) =>
      encodeURIComponent(meaning(whole, kind, number)),
    )
  function learn(wanted: unknown, found: unknown): void {
    const isNumbered = typeof wanted === 'string' && /^<[\w-]+ \d+>$/.test(wanted)
    if (isNumbered && typeof found === 'string' && !learned.has(wanted)) learned.set(wanted, found)
    if (typeof wanted === 'object' && wanted !== null)
      for (const [key, value] of Object.entries(wanted)) learn(value, Object(found)[key])
  }
  const all: string[] = []
  for (const { answer, ...asked } of exchanges) {
    const { service, request, headers, ...filled } = fill(asked)
    const isForm = headers['content-type']?.includes('urlencoded')
    const sent = isForm ? fillForm(asked.sent) : filled.sent
    const [method, path] = request.split(' ')
    const url = `${roots[service as keyof typeof roots]}${path}`
    const found = readAnswer(
      await exchange({ method: method as 'GET', url, headers, body: sent || undefined }),
    )
    learn(answer, found)
    all.push(...differences(fill(answer), found, true).map(line => `${asked.request} ${line}`))
  }
  return all.filter(line => !intended.some(({ where }) => where.test(line)))
}

/** Replays a recording, and prints what differs. Returns 1 if something does. */
export async function report({ name, exchanges }: Omit<Recording, 'recorded'>, double: Double, print: Print) {
  double.reset()
  const found = await replay(exchanges, double)
  print(`${found.length === 0 ? 'same   ' : 'differs'} ${name}`)
  for (const line of found) print(`          ${line}`)
  return Math.min(1, found.length)
}

/** Replays the recordings of a folder, and warns about old ones. Returns how many differ. */
export async function replayFolder(folder: string, print: Print, nowMs = Date.now()): Promise<number> {
  await using open = new AsyncDisposableStack()
  const double = open.adopt(await openDouble(1, mintingGroup), one => one.close())
  let count = 0
  for (const file of (await readdir(folder)).toSorted()) {
    const recording: Recording = JSON.parse(await readFile(join(folder, file), 'utf8'))
    const { name, recorded } = recording
    if (nowMs - Date.parse(recorded) > maxAgeMs)
      print(`warning "${name}" was recorded on ${recorded}, more than a year ago. Record it again.`)
    count += await report(recording, double, print)
  }
  return count
}
