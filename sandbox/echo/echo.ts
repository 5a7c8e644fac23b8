import type { ServerContext } from '../http/context.ts'
import { type HttpAnswer, plainText } from '../http/delivery.ts'
import type { Service } from '../http/emulated-service.ts'
import type { Exchange } from '../http/exchange.ts'
import { serve } from '../http/serve.ts'
import { instanceByHost } from '../http/virtual-hosts.ts'

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

/** The change of the state: one address for all echoes, or a body for each. */
type EchoChange = { readonly address: string } | readonly { readonly body: string }[]

/** Returns the service of all echoes, which answer with an address as one line of text. */
function echoService(): Service {
  let bodies = Array.from({ length: echoCount }, () => `${firstAddress}\n`)

  function answer(exchange: Exchange): HttpAnswer {
    const { method, path, instance } = exchange
    if (path !== '/') return plainText(404, 'Not found. The address is at /.')
    if (method !== 'GET') return plainText(405, 'Method not allowed. Use GET.')
    const isIpv6 = instanceByHost(ipv6Hosts, exchange) !== null
    const body = isIpv6 ? `${ipv6Address}\n` : (bodies[instance] ?? '')
    return { status: 200, headers: { 'content-type': 'text/plain' }, body }
  }

  return {
    name: 'echo',
    claim: head => instanceByHost({ ...hosts, ...ipv6Hosts }, head),
    answer,
    state: {
      keys: ['echo'],
      read: () => ({ echo: bodies.map(body => ({ body })) }),
      replace({ echo }) {
        if (!echo) return
        const change = echo as EchoChange
        bodies =
          'address' in change ? bodies.map(() => `${change.address}\n`) : change.map(({ body }) => body)
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
