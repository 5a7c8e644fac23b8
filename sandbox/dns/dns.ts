import type { Store } from '../cloudflare/store.ts'
import type { ServerContext } from '../http/context.ts'
import { loopback } from '../http/server.ts'
import { resolverCount, resolverPath, resolverService } from './doh.ts'
import { startNameServer } from './name-server.ts'

/** The addresses of the name servers and resolvers. */
export interface DnsDescription {
  /** The first of a zone's name servers, for clients that want one. */
  readonly nameServer: { readonly host: string; readonly port: number }
  /** All name servers, in the order of their names: ns1, ns2. */
  readonly nameServers: readonly { readonly host: string; readonly port: number }[]
  /** The URLs of the DNS over HTTPS resolvers, one for each of two operators. */
  readonly doh: readonly string[]
}

/** The number of name servers of each zone. */
const nameServerCount = 2

/**
 * Starts the name servers and the resolvers of the zones in a store.
 * @param baseUrl the base URL of the resolvers, without a trailing slash
 */
export async function startDns(
  context: ServerContext,
  store: Store,
  baseUrl: string,
): Promise<DnsDescription> {
  const nameServers: { host: string; port: number }[] = []
  for (let instance = 0; instance < nameServerCount; instance++) {
    const { port } = await context.run(startNameServer(store, context.journal, instance))
    nameServers.push({ host: loopback, port })
  }
  context.register(resolverService(store))
  return {
    nameServer: nameServers[0] ?? { host: loopback, port: 0 },
    nameServers,
    doh: Array.from({ length: resolverCount }, (_, instance) => `${baseUrl}${resolverPath(instance)}`),
  }
}
