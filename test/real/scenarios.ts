import { CommandError } from '../../lib/command.ts'
import { ask } from '../support/services.ts'
import { type Accounts, act, explainLeft, prefix, refuseProduction, removeLeft } from './accounts.ts'
import { type Exchange, namesIn, record, writeRecording } from './recording.ts'
import { replayFolder } from './replay.ts'

/** What depends on answers of the service. Names in braces are of `namesIn`, and `names` is below which all names are. */
export interface Scenario {
  readonly name: string
  /** Records that exist before, as fields besides those of an A record of home.{names}. */
  readonly given: readonly Readonly<Record<string, unknown>>[]
  /** Inputs of the action besides the usual ones. */
  readonly inputs: Readonly<Record<string, string>>
  /** A request in place of the action: its method, path in the zone, and body. */
  readonly request?: readonly [method: string, path: string, body?: object]
}

// Documentation addresses lead nobody anywhere.
const address = '198.51.100.7'
const address6 = '2001:db8::7'
const a = (more: object = {}) => ({ content: '192.0.2.10', ...more })
const aaaa = (content: string) => ({ type: 'AAAA', content })
const mx = { type: 'MX', content: 'mail.example.com', priority: 10 }
const six = { 'record-type': 'AAAA', address: address6 }
const both = { 'record-type': 'A,AAAA', address: `${address}\n${address6}` }
const repair = { 'on-drift': 'repair' }
const create = { create: 'true' }

type Row = readonly [name: string, given?: Scenario['given'], inputs?: Scenario['inputs']]
const rows: readonly Row[] = [
  ['changed', [a()]],
  ['unchanged', [a({ content: address })]],
  ['a comment is kept', [a({ comment: 'the door' })]],
  ['a comment of 100 characters is kept', [a({ comment: 'é'.repeat(100) })]],
  ['tags are kept', [a({ tags: ['owner:home'] })]],
  ['a ttl of 300 becomes 120', [a({ ttl: 300 })]],
  ['only the ttl differs, with repair', [a({ content: address, ttl: 300 })], repair],
  ['an automatic ttl', [a()], { ttl: '1' }],
  ['a ttl below the minimum of most plans', [a()], { ttl: '30' }],
  ['a proxied record is no longer proxied', [a({ proxied: true })], { proxied: 'false' }],
  [
    'only proxied differs, with repair',
    [a({ content: address, proxied: true })],
    { ...repair, proxied: 'false' },
  ],
  ['proxied is asked for', [a()], { proxied: 'true' }],
  ['two records', [a(), a({ content: '192.0.2.11' })]],
  ['a CNAME', [{ type: 'CNAME', content: 'example.com' }]],
  ['TXT and MX beside it', [a(), { type: 'TXT', content: '"a b"' }, mx]],
  ['NS records hide it', [a(), { type: 'NS', content: 'ns1.example.com' }]],
  ['no record'],
  ['no record, with create', [], create],
  ['no AAAA record beside an A record, with create', [a()], { ...six, ...create }],
  ['AAAA in another spelling', [aaaa('2001:0DB8:0:0::7')], six],
  ['A and AAAA changed', [a(), aaaa('2001:db8::1')], both],
  ['a name in Unicode', [a({ name: 'büro.{names}' })], { hostname: 'büro.{names}' }],
  ['a wildcard', [a({ name: '*.wild.{names}' })], { hostname: '*.wild.{names}' }],
  ['a name outside the zone', [], { hostname: 'home.example.net' }],
  ['a wrong zone', [a()], { 'zone-id': 'f'.repeat(32) }],
  ['a token that does not exist', [a()], { 'api-token': '{unknown token}' }],
  ['a malformed token', [a()], { 'api-token': 'malformed' }],
  ['the zone is found by the name', [a()], { 'zone-id': '' }],
  ['a token that may not list zones has to find it', [a()], { 'zone-id': '', 'api-token': '{narrow token}' }],
  ['a token that may not list zones has the zone', [a()], { 'api-token': '{narrow token}' }],
]

export const scenarios: readonly Scenario[] = [
  ...rows.map(([name, given = [], inputs = {}]) => ({ name, given, inputs })),
  {
    name: 'a record that does not exist is changed',
    given: [],
    inputs: {},
    request: ['PUT', `dns_records/${'f'.repeat(32)}`, { type: 'A', name: 'home.{names}', ...a() }],
  },
  {
    name: 'a name with a trailing dot is looked for',
    given: [a()],
    inputs: {},
    request: ['GET', 'dns_records?name=home.{names}.'],
  },
]

/** Plays a scenario. Resolves to what was said, not masked. */
export async function play(
  given: Accounts,
  { given: records, inputs, request }: Scenario,
): Promise<readonly Exchange[]> {
  const { accounts, said, close } = await record(given)
  const { apiUrl, zoneId, zoneName, adminToken } = accounts.cloudflare
  const values: Readonly<Record<string, string>> = {
    ...namesIn(given),
    names: `${prefix}-names.${zoneName}`,
  }
  const fill = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replace(/\{([\w ]+)\}/g, (_, name) => values[name] ?? ''))
  const askZone = (method: string, path: string, body?: object) =>
    ask(method, `${apiUrl}/zones/${zoneId}/${path}`, adminToken, body)
  try {
    for (const fields of records)
      await askZone('POST', 'dns_records', {
        type: 'A',
        name: fill('home.{names}'),
        ttl: 120,
        proxied: false,
        ...fill(fields),
      })
    if (request) await askZone(...fill(request))
    else await act(accounts, { address, hostname: fill('home.{names}'), ...fill(inputs) })
    return said
  } finally {
    close()
  }
}

/**
 * Plays scenarios, records them in a folder, and replays this at the double. Returns how many differ.
 * @throws CommandError that says what is left
 */
export async function runScenarios(
  accounts: Accounts,
  print: (line: string) => void,
  folder: string,
  list = scenarios,
): Promise<number> {
  await refuseProduction(accounts, false)
  await removeLeft(accounts)
  for (const scenario of list) {
    const { name, given, inputs } = scenario
    if (inputs['api-token'] === '{narrow token}' && !accounts.narrowToken) {
      print(`not asked ${name}: there is no narrowToken`)
      continue
    }
    try {
      const exchanges = await play(accounts, scenario)
      await removeLeft(accounts)
      await writeRecording(folder, { name, exchanges }, namesIn(accounts))
    } catch (error) {
      await removeLeft(accounts).catch(() => [])
      const created = given.map(() => `a record of ${prefix}-names.${accounts.cloudflare.zoneName}`)
      throw new CommandError(`${(error as Error).message}. ${await explainLeft(accounts, created)}`, {
        cause: error,
      })
    }
  }
  return await replayFolder(folder, print)
}
