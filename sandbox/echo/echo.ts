import type { ServerContext } from '../http/context.ts'
import { type HttpAnswer, plainText } from '../http/delivery.ts'
import type { Service } from '../http/emulated-service.ts'
import type { Exchange } from '../http/exchange.ts'
import { serve } from '../http/serve.ts'
import { instanceByHost } from '../http/virtual-hosts.ts'

/** The answer of an echo to GET /. */
interface EchoAnswer {
  readonly body: string
  readonly status: number
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  readonly delayMs: number
}

/** One echo for each of three operators, as a quorum needs. */
const echoCount = 3

/** The initial addresses, from ranges for documentation (RFC 5737, RFC 3849). */
const firstAddress = '203.0.113.10'
const ipv6Address = '2001:db8::10'

/** Public echoes, for clients whose hosts file points here. */
const hosts: Readonly<Record<string, number>> = {
  'api.ipify.org': 0,
  'api4.ipify.org': 0,
  'checkip.amazonaws.com': 1,
  'icanhazip.com': 2,
  'ipv4.icanhazip.com': 2,
}

/** Public echoes over IPv6, which always answer the same. */
const ipv6Hosts: Readonly<Record<string, number>> = {
  'api6.ipify.org': 0,
  'checkipv6.dedyn.io': 1,
  'ipv6.icanhazip.com': 2,
}

/** Returns the answer of most echo services: the address as one line of text. */
const addressAnswer = (address: string): EchoAnswer => ({
  body: `${address}\n`,
  status: 200,
  contentType: 'text/plain',
  headers: {},
  delayMs: 0,
})

/** The change of the state: one address for all echoes, or an answer for each. */
type EchoChange = { readonly address: string } | readonly (Partial<EchoAnswer> & Pick<EchoAnswer, 'body'>)[]

function changedAnswers(change: EchoChange, current: readonly EchoAnswer[]): EchoAnswer[] {
  if ('address' in change) return current.map(() => addressAnswer(change.address))
  return current.map((answer, at) => {
    const next = change[at]
    return next ? { ...addressAnswer(''), ...next } : answer
  })
}

/** Returns the service of all echoes. */
function echoService(): Service {
  let answers = Array.from({ length: echoCount }, () => addressAnswer(firstAddress))

  function answer(exchange: Exchange): HttpAnswer {
    const { method, path, instance } = exchange
    if (path !== '/') return plainText(404, 'Not found. The address is at /.')
    if (method !== 'GET') return plainText(405, 'Method not allowed. Use GET.')
    const isIpv6 = instanceByHost(ipv6Hosts, exchange) !== null
    const own = isIpv6 ? addressAnswer(ipv6Address) : answers[instance]
    const { status, contentType, headers, body, delayMs } = own ?? addressAnswer(firstAddress)
    return {
      status,
      headers: { 'content-type': contentType, ...headers },
      body,
      ...(delayMs > 0 && { sending: { how: 'late', byMs: delayMs } }),
    }
  }

  return {
    name: 'echo',
    instances: echoCount,
    claim: head => instanceByHost({ ...hosts, ...ipv6Hosts }, head),
    answer,
    state: {
      keys: ['echo'],
      read: () => ({ echo: answers }),
      replace({ echo }) {
        if (echo) answers = changedAnswers(echo as EchoChange, answers)
      },
    },
  }
}

/** The addresses of the echoes. */
export interface EchoDescription {
  readonly echo: readonly string[]
}

/** Starts the address echoes, each on its own port. */
export async function startEcho(context: ServerContext): Promise<EchoDescription> {
  const service = echoService()
  context.register(service)
  const urls: string[] = []
  for (let instance = 0; instance < echoCount; instance += 1) {
    const target = () => ({ service, instance })
    urls.push((await serve(context, { target })).url)
  }
  return { echo: urls }
}
