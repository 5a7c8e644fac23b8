import type { ServerContext } from '../http/context.ts'
import { loopback } from '../http/server.ts'
import { resolverCount, resolverPath, resolverService } from './doh.ts'
import { startNameServer } from './name-server.ts'
import type { ZoneView } from './zone-view.ts'

/** The addresses of the name servers and resolvers. */
export interface DnsDescription {
  /** The first of a zone's name servers, for clients that want one. */
  readonly nameServer: { readonly host: string; readonly port: number }
  /** All name servers, in the order of their names: ns1, ns2. */
  readonly nameServers: readonly { readonly host: string; readonly port: number }[]
  /** The URLs of the DNS over HTTPS resolvers, one for each of two operators. */
  readonly doh: readonly string[]
}

interface DnsOptions {
  /** Returns the current view of the zones. */
  readonly view: () => ZoneView
  /** The base URL of the resolvers, without a trailing slash. */
  readonly baseUrl: string
}

/** The number of name servers of each zone. */
const nameServerCount = 2

/** Starts the name servers and the resolvers. */
export async function startDns(
  context: ServerContext,
  { view, baseUrl }: DnsOptions,
): Promise<DnsDescription> {
  const nameServers: { host: string; port: number }[] = []
  for (let instance = 0; instance < nameServerCount; instance++) {
    const serving = { journal: context.journal, instance, view }
    const { port } = await context.run(startNameServer(serving))
    nameServers.push({ host: loopback, port })
  }
  context.register(resolverService(view))
  return {
    nameServer: nameServers[0] ?? { host: loopback, port: 0 },
    nameServers,
    doh: Array.from({ length: resolverCount }, (_, instance) => `${baseUrl}${resolverPath(instance)}`),
  }
}
