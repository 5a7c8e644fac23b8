import type { ResolverOptions } from 'node:dns'
import type { Resolver } from 'node:dns/promises'
import { isIP, isIPv6 } from 'node:net'
import { nameOf } from '../lib/exchange.ts'
import type { Reading } from '../lib/reading.ts'
import type { RecordType } from '../lib/record-type.ts'

/** Where a name server listens. */
export interface Address {
  readonly address: string
  readonly port: number
}

/** The addresses that a name server serves, none if it has no such record; or the end of a sentence about what it did. */
export type Served = Reading<readonly string[]> | { readonly silence: string }

/** How long the system's resolver has for the first of two tries. */
const resolverTimeoutMs = 3000
/** The second try may take twice as long as the first (c-ares, ares_init_options). */
const firstTryShare = 1 / 3

/** The response codes that c-ares reports as errors (RFC 1035 section 4.1.1). */
const rcodes: Readonly<Record<string, string>> = {
  EFORMERR: 'FORMERR',
  ESERVFAIL: 'SERVFAIL',
  ENOTFOUND: 'NXDOMAIN',
  ENOTIMP: 'NOTIMP',
  EREFUSED: 'REFUSED',
}

export type DnsClient = ReturnType<typeof createDnsClient>

/**
 * Creates a client that asks name servers, and looks names up with the resolver that `open` returns: by default that of the
 * system. A resolver does not follow later changes of the system's configuration, so each lookup opens its own. Nothing
 * rejects. A problem says why there is no usable response.
 */
export function createDnsClient(open: (options: ResolverOptions) => Resolver = openResolver) {
  const openSystem = () => open({ timeout: resolverTimeoutMs, tries: 2 })
  return {
    /** Asks one server for the addresses of a name. */
    async ask(server: Address, name: string, type: RecordType, timeoutMs: number): Promise<Served> {
      const found = await askServer(server, timeoutMs, resolver =>
        type === 'A' ? resolver.resolve4(name) : resolver.resolve6(name),
      )
      if ('value' in found || found.code === 'ENODATA') return { value: 'value' in found ? found.value : [] }
      const rcode = rcodes[found.code]
      if (rcode !== undefined) return { problem: `returned ${rcode}` }
      return { silence: `did not respond (${explain(found.code)})` }
    },
    /**
     * Returns whether a server answers for a domain that no name server of a customer serves, as resolvers do; null if there
     * was no response, since a resolver can be slow. Asks once, because a second try would take time from the first.
     */
    async isResolver(server: Address, timeoutMs: number): Promise<boolean | null> {
      const found = await askServer(server, timeoutMs, resolver => resolver.resolveNs('com'), 1)
      if ('value' in found) return found.value.length > 0
      return found.code === 'ENODATA' || found.code in rcodes ? false : null
    },
    /** Returns the addresses of a host, IPv4 first. An address is returned as it is. */
    async addressesOf(host: string, timeoutMs: number): Promise<Reading<readonly string[]>> {
      if (isIP(host)) return { value: [host] }
      const resolver = openSystem()
      const found = await Promise.all([
        lookUp(resolver, timeoutMs, () => resolver.resolve4(host)),
        lookUp(resolver, timeoutMs, () => resolver.resolve6(host)),
      ])
      const addresses = found.flatMap(list => ('value' in list ? list.value : []))
      if (addresses.length > 0) return { value: addresses }
      return found.find(list => 'problem' in list) ?? { problem: 'it has no address' }
    },
    /** Returns the names of a zone's name servers; none if the name is not the top of a zone. */
    nameServersOf: (zone: string, timeoutMs: number): Promise<Reading<readonly string[]>> =>
      lookUp(openSystem(), timeoutMs, resolver => resolver.resolveNs(zone)),
  }
}

function openResolver(options: ResolverOptions): Resolver {
  // Not imported, because a run without verify: dns does not need it.
  const { Resolver } = process.getBuiltinModule('node:dns/promises')
  return new Resolver(options)
}

type Found = { readonly value: readonly string[] } | { readonly code: string }

/** Asks one server over UDP, in one or two tries, and over TCP if the response is truncated. */
async function askServer(
  { address, port }: Address,
  timeoutMs: number,
  query: (resolver: Resolver) => Promise<string[]>,
  tries: 1 | 2 = 2,
): Promise<Found> {
  const timeout = Math.max(1, Math.floor(tries === 1 ? timeoutMs : timeoutMs * firstTryShare))
  // c-ares would keep what it learned about the server, such as how long its responses take.
  const resolver = openResolver({ timeout, tries })
  resolver.setServers([isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`])
  return find(resolver, timeoutMs, query)
}

/** Returns what was resolved; nothing if the name or the type does not exist. */
async function lookUp(...lookup: Parameters<typeof find>): Promise<Reading<readonly string[]>> {
  const found = await find(...lookup)
  if ('value' in found) return found
  return ['ENOTFOUND', 'ENODATA'].includes(found.code) ? { value: [] } : { problem: explain(found.code) }
}

/** Resolves within the time: c-ares tries every server of the system several times. */
async function find(
  resolver: Resolver,
  timeoutMs: number,
  query: (resolver: Resolver) => Promise<string[]>,
): Promise<Found> {
  const timer = setTimeout(() => resolver.cancel(), timeoutMs)
  try {
    return { value: await query(resolver) }
  } catch (error) {
    return { code: nameOf(error) }
  } finally {
    clearTimeout(timer)
  }
}

function explain(code: string): string {
  return ['ETIMEOUT', 'ECANCELLED'].includes(code) ? 'no response' : code
}
