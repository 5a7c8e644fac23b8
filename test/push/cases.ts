import type { Fault } from '../../sandbox/http/faults.ts'
import { onList, type Stage } from '../support/stage.ts'
import { first, home, hostLine, ipv6, otherPassword, second } from './endpoint.ts'
import { settingsFor } from './support.ts'

const both = 'both.example.com'
const missing = 'missing.example.com'

/** Returns settings for an endpoint on a runtime, with every name that a case asks for. */
export async function settingsOn(stage: Stage): Promise<Record<string, string>> {
  const names = await Promise.all([home, ...homes, missing].map(name => hostLine(name)))
  const HOSTS = [...names, await hostLine(both, 'A,AAAA')].join('\n')
  return { ...settingsFor(stage.description), HOSTS, PLAIN_HTTP: 'true' }
}

/** Sets the records that the cases start from. */
export function setRecords(stage: Stage) {
  return stage.setRecords(
    ...[home, ...homes].map(name => ({ name, content: first })),
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

/** Every word, with what reaches it. */
export const cases: readonly (readonly [word: string, request: Case])[] = [
  ['good', { query: `hostname=${home}&myip=${second}`, status: 200, body: `good ${second}\n` }],
  [
    'good for both types',
    { query: `hostname=${both}&myip=${second},${ipv6}`, status: 200, body: `good ${second},${ipv6}\n` },
  ],
  ['nochg', { query: `hostname=${home}&myip=${first}`, status: 200, body: `nochg ${first}\n` }],
  ['badauth', { query: `hostname=${home}`, given: otherPassword, ...refused }],
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

/** What clients send that never finish a request: nothing, headers, and a form. */
export const openings: readonly string[] = [
  '',
  'GET /nic/update HTTP/1.1\r\nHost: push.example\r\nX-More: ',
  'POST /nic/update HTTP/1.1\r\nHost: push.example\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 99\r\n\r\nhostname=',
]
