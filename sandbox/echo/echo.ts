import { isIP } from 'node:net'
import type { Clock } from '../http/clock.ts'
import type { ServerContext } from '../http/context.ts'
import { type HttpAnswer, plainText } from '../http/delivery.ts'
import type { Service } from '../http/emulated-service.ts'
import type { Exchange, RequestHead } from '../http/exchange.ts'
import { serve } from '../http/serve.ts'
import { hostOf, instanceByHost } from '../http/virtual-hosts.ts'

/** The answer of an echo to GET /. */
interface EchoAnswer {
  readonly body: string
  readonly status: number
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  readonly delayMs: number
}

/** One echo for each of three operators, as a quorum needs. */
export const echoCount = 3

/** The initial address, from a range for documentation (RFC 5737). */
const firstAddress = '203.0.113.10'

/** Public echoes, for clients whose hosts file points here. */
const hosts: Readonly<Record<string, number>> = {
  'api.ipify.org': 0,
  'api4.ipify.org': 0,
  'checkip.amazonaws.com': 1,
  'icanhazip.com': 2,
  'ipv4.icanhazip.com': 2,
}

/** The path and the hosts of the service's own echo, which favonia/cloudflare-ddns and others ask by default. */
const tracePath = '/cdn-cgi/trace'
const traceHosts = [
  'api.cloudflare.com',
  'cloudflare.com',
  'www.cloudflare.com',
  'one.one.one.one',
  '1.1.1.1',
  '1.0.0.1',
]

/** The ranges of Cloudflare's proxies by path, as its page Cloudflare IP addresses lists them in November 2026. */
const ranges: Readonly<Record<string, readonly string[]>> = {
  '/ips-v4': [
    '173.245.48.0/20',
    '103.21.244.0/22',
    '103.22.200.0/22',
    '103.31.4.0/22',
    '141.101.64.0/18',
    '108.162.192.0/18',
    '190.93.240.0/20',
    '188.114.96.0/20',
    '197.234.240.0/22',
    '198.41.128.0/17',
    '162.158.0.0/15',
    '104.16.0.0/13',
    '104.24.0.0/14',
    '172.64.0.0/13',
    '131.0.72.0/22',
  ],
  '/ips-v6': [
    '2400:cb00::/32',
    '2606:4700::/32',
    '2803:f800::/32',
    '2405:b500::/32',
    '2405:8100::/32',
    '2a06:98c0::/29',
    '2c0f:f248::/32',
  ],
}

/** Returns the answer of most echo services: the address as one line of text. */
const addressAnswer = (address: string): EchoAnswer => ({
  body: `${address}\n`,
  status: 200,
  contentType: 'text/plain',
  headers: {},
  delayMs: 0,
})

/** The body of `PUT /echo`: one address for all echoes, or one answer per echo, where null keeps the current one. */
type EchoChange =
  | { readonly address: string }
  | { readonly answers: readonly ((Partial<EchoAnswer> & Pick<EchoAnswer, 'body'>) | null)[] }

function changedAnswers(change: EchoChange, current: readonly EchoAnswer[]): EchoAnswer[] {
  if ('address' in change) return current.map(() => addressAnswer(change.address))
  return current.map((answer, at) => {
    const next = change.answers[at]
    return next ? { ...addressAnswer(''), ...next } : answer
  })
}

/** Returns an address as the service's own echo reports it: one `key=value` per line. */
function traceOf(address: string, nowMs: number, head: RequestHead): string {
  const fields = {
    fl: '0',
    h: hostOf(head),
    ip: address,
    ts: (nowMs / 1000).toFixed(3),
    visit_scheme: head.secure ? 'https' : 'http',
    uag: head.headers['user-agent'] ?? '',
    colo: 'AMS',
    http: 'http/1.1',
    loc: 'XX',
    tls: head.secure ? 'TLSv1.3' : 'off',
    sni: head.secure ? 'plaintext' : 'off',
    warp: 'off',
    gateway: 'off',
  }
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

/** Returns the instance for the host of a request. A trace comes from the first echo. */
function instanceFor(head: RequestHead): number | null {
  const isTrace = head.path === tracePath && traceHosts.includes(hostOf(head))
  const areRanges = Object.hasOwn(ranges, head.path) && hostOf(head) === 'www.cloudflare.com'
  return isTrace || areRanges ? 0 : instanceByHost(hosts, head)
}

/** Returns the service of all echoes. */
function echoService(clock: Clock): Service {
  let answers = Array.from({ length: echoCount }, () => addressAnswer(firstAddress))

  function answer(exchange: Exchange): HttpAnswer {
    const { method, path, instance } = exchange
    const listed = Object.hasOwn(ranges, path) ? ranges[path] : undefined
    if (listed !== undefined) {
      // documented: GET /ips-v4 and /ips-v6 of www.cloudflare.com list the ranges of Cloudflare's proxies, one per line.
      // [Cloudflare, IP addresses]
      return plainText(200, listed.join('\n'))
    }
    if (path !== '/' && path !== tracePath)
      return plainText(404, `Not found. The address is at / and ${tracePath}.`)
    if (method !== 'GET') return plainText(405, 'Method not allowed. Use GET.')
    const { status, contentType, headers, body, delayMs } = answers[instance] ?? addressAnswer(firstAddress)
    return {
      status,
      headers: { 'content-type': contentType, ...headers },
      // Other answers, such as an error page of a proxy, have no trace lines.
      body: path === tracePath && isIP(body.trim()) ? traceOf(body.trim(), clock.now(), exchange) : body,
      ...(delayMs > 0 && { sending: { how: 'late', byMs: delayMs } }),
    }
  }

  return {
    name: 'echo',
    instances: echoCount,
    claim: instanceFor,
    answer,
    dryRun: answer,
    state: {
      keys: ['echo'],
      read: () => ({ echo: answers }),
      replace({ echo }) {
        if (echo) answers = changedAnswers({ answers: echo as EchoAnswer[] }, answers)
      },
    },
    operations: {
      '/echo': {
        PUT: body => {
          answers = changedAnswers(body as EchoChange, answers)
        },
      },
    },
  }
}

/** The addresses of the echoes. */
export interface EchoDescription {
  readonly echo: readonly string[]
}

/**
 * Starts the address echoes, each on its own port.
 * @throws ListenError
 */
export async function startEcho(
  context: ServerContext,
  ports: readonly number[] = [],
): Promise<EchoDescription> {
  const service = echoService(context.clock)
  context.register(service)
  const urls: string[] = []
  for (let instance = 0; instance < echoCount; instance += 1) {
    const target = () => ({ service, instance })
    urls.push((await serve(context, { name: 'echo', port: ports[instance], target })).url)
  }
  return { echo: urls }
}
