import type { Fault } from '../../sandbox/http/faults.ts'
import { onList, type Stage } from '../support/stage.ts'
import { first, home, hostLine, ipv6, otherPassword, second } from './endpoint.ts'
import { settingsFor } from './support.ts'

const both = 'both.example.com'
const several = 'several.example.com'
const missing = 'missing.example.com'
const onlyIpv6 = 'ipv6.example.com'

/** Returns settings for an endpoint on a runtime, with every name that a case asks for. */
export async function settingsOn(stage: Stage): Promise<Record<string, string>> {
  const names = await Promise.all([home, ...homes, several, missing].map(name => hostLine(name)))
  const HOSTS = [...names, await hostLine(both, 'A,AAAA'), await hostLine(onlyIpv6, 'AAAA')].join('\n')
  return { ...settingsFor(stage.description), HOSTS, PLAIN_HTTP: 'true' }
}

/** Sets the records that the cases start from. */
export function setRecords(stage: Stage) {
  return stage.setRecords(
    ...[home, ...homes].map(name => ({ name, content: first })),
    { name: several, content: first },
    { name: several, content: second },
    { name: both, content: first },
    { name: both, type: 'AAAA', content: ipv6 },
  )
}

/** A request that reaches a word, and the whole answer to it. */
interface Case {
  readonly query: string
  readonly given?: string | null
  readonly fault?: Fault
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

const passing = { status: 503, headers: { 'retry-after': '60' } } as const
const refused = {
  status: 401,
  headers: { 'www-authenticate': 'Basic realm="Homeport"' },
  body: 'badauth\n',
} as const
const privateAddress = 'dnserr This address is private, shared or reserved.\n'

/** Every word, with what reaches it. */
export const cases: readonly (readonly [word: string, request: Case])[] = [
  ['good', { query: `hostname=${home}&myip=${second}`, status: 200, body: `good ${second}\n` }],
  [
    'good for both types',
    { query: `hostname=${both}&myip=${second},${ipv6}`, status: 200, body: `good ${second},${ipv6}\n` },
  ],
  ['nochg', { query: `hostname=${home}&myip=${first}`, status: 200, body: `nochg ${first}\n` }],
  ['nohost', { query: `hostname=${missing}&myip=${first}`, status: 200, body: 'nohost\n' }],
  ['notfqdn', { query: 'hostname=home', status: 200, body: 'notfqdn\n' }],
  ['notfqdn without a name', { query: 'hostname=', status: 200, body: 'notfqdn\n' }],
  ['numhost', { query: `hostname=${several}&myip=${first}`, status: 200, body: 'numhost\n' }],
  [
    'numhost for 21 names',
    { query: `hostname=${Array(21).fill(home)}&myip=${first}`, status: 200, body: 'numhost\n' },
  ],
  ['badauth', { query: `hostname=${home}`, given: otherPassword, ...refused }],
  ['badauth without a password', { query: `hostname=${home}`, given: null, ...refused }],
  ['badauth for another name', { query: 'hostname=other.example.com', ...refused }],
  ['dnserr', { query: `hostname=${home}&myip=10.0.0.7`, ...passing, body: privateAddress }],
  [
    '911',
    {
      query: `hostname=${home}&myip=${second}`,
      fault: { match: onList, times: null, answer: { kind: 'respond', status: 403 } },
      ...passing,
      body: '911\n',
    },
  ],
  [
    'no word of success beside what may pass',
    {
      query: `hostname=${home},${missing},${onlyIpv6}&myip=${second}`,
      ...passing,
      body: '911\nnohost\ndnserr There is only an IPv4 address, or none, for the AAAA record. Send the address in myip.\n',
    },
  ],
  [
    'a line for each name',
    {
      query: `hostname=${home},${missing},x&myip=${first}`,
      status: 200,
      body: `nochg ${first}\nnohost\nnotfqdn\n`,
    },
  ],
]

/** A name like `home` for each case: a name is read at most six times a minute. */
export const homes: readonly string[] = cases.map((_, index) => `home${index}.example.com`)

/** What a client sends that never finishes a request. */
export const openings: readonly (readonly [what: string, bytes: string])[] = [
  ['anything', ''],
  ['headers', 'GET /nic/update HTTP/1.1\r\nHost: push.example\r\nX-More: '],
  [
    'a form',
    'POST /nic/update HTTP/1.1\r\nHost: push.example\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 99\r\n\r\nhostname=',
  ],
]
