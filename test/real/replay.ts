import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { differences, readAnswer } from './answer.ts'
import { type Double, openDouble } from './double.ts'
import { intended } from './questions.ts'
import { type Exchange, exchange, namesIn, type Recording, rootsOf } from './recording.ts'

const maxAgeMs = 366 * 24 * 3600 * 1000

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
  { accounts }: Pick<Double, 'accounts'>,
): Promise<readonly string[]> {
  const roots = rootsOf(accounts)
  const learned = new Map(Object.entries(namesIn(accounts)).map(([name, value]) => [`<${name}>`, value]))
  const fill = (text: string, encode = (value: string) => value) =>
    text.replace(/<([\w-]+(?: [a-z]+)?)(?: (\d+))?>/g, (whole, kind, number) =>
      encode(learned.get(whole) ?? examples[kind]?.(number) ?? whole),
    )
  function learn(wanted: unknown, found: unknown): void {
    const isNumbered = typeof wanted === 'string' && /^<[\w-]+ \d+>$/.test(wanted)
    if (isNumbered && typeof found === 'string' && !learned.has(wanted)) learned.set(wanted, found)
    if (typeof wanted === 'object' && wanted !== null)
      for (const [key, value] of Object.entries(wanted)) learn(value, Object(found)[key])
  }
  const all: string[] = []
  for (const one of exchanges) {
    const { service, request, headers }: Exchange = JSON.parse(fill(JSON.stringify(one)))
    const isForm = headers['content-type']?.includes('urlencoded')
    const sent = fill(one.sent, isForm ? encodeURIComponent : undefined)
    const [method, path] = request.split(' ')
    const url = `${roots[service]}${path}`
    const asked = { method: method as 'GET', url, headers, body: sent || undefined }
    const found = readAnswer(await exchange(asked))
    learn(one.answer, found)
    const wanted = JSON.parse(fill(JSON.stringify(one.answer)))
    all.push(...differences(wanted, found, true).map(line => `${one.request} ${line}`))
  }
  return all.filter(line => !intended.some(({ where }) => where.test(line)))
}

/** Replays the recordings of a folder, and warns about old ones. Returns how many differ. */
export async function replayFolder(
  folder: string,
  print: (line: string) => void,
  nowMs = Date.now(),
): Promise<number> {
  await using open = new AsyncDisposableStack()
  const double = open.adopt(await openDouble(1, true), one => one.close())
  let count = 0
  for (const file of (await readdir(folder)).toSorted()) {
    const { name, recorded, exchanges }: Recording = JSON.parse(await readFile(join(folder, file), 'utf8'))
    if (nowMs - Date.parse(recorded) > maxAgeMs)
      print(`warning "${name}" was recorded on ${recorded}, more than a year ago. Record it again.`)
    double.reset()
    const found = await replay(exchanges, double)
    print(`${found.length === 0 ? 'same   ' : 'differs'} ${name}`)
    for (const line of found) print(`          ${line}`)
    count += Math.min(1, found.length)
  }
  return count
}
