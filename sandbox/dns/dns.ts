import type { ServerContext } from '../http/context.ts'
import { loopback } from '../http/server.ts'
import { resolverCount, resolverPath, resolverService } from './doh.ts'
import { startNameServer } from './name-server.ts'
import type { ZoneView } from './zone-view.ts'

/** Where the name servers and the resolvers are. */
export interface DnsDescription {
  /** The first of a zone's name servers, for clients that want one. */
  readonly nameServer: { readonly host: string; readonly port: number }
  /** All of them, in the order of their names: ns1, ns2. */
  readonly nameServers: readonly { readonly host: string; readonly port: number }[]
  /** Resolvers over HTTPS, as if two operators ran them. */
  readonly doh: readonly string[]
}

export interface DnsOptions {
  /** One name server for each element: returns what it serves now. */
  readonly views: readonly (() => ZoneView)[]
  /** Port of the first name server. 0 and undefined mean any free one. */
  readonly port?: number | undefined
  /** The shared port that the resolvers answer on, without a slash at its end. */
  readonly baseUrl: string
}

/** Starts the name servers and the resolvers. @throws ListenError */
export async function startDns(
  context: ServerContext,
  { views, port = 0, baseUrl }: DnsOptions,
): Promise<DnsDescription> {
  const nameServers: { host: string; port: number }[] = []
  for (const [instance, view] of views.entries()) {
    const serving = { journal: context.journal, instance, view }
    const { port: bound } = await context.run(startNameServer(serving, instance === 0 ? port : 0))
    nameServers.push({ host: loopback, port: bound })
  }
  // Each asks a name server of its own, so that one can be late when the other is not.
  const viewOf = (instance: number) => views[instance % views.length]?.() ?? nothing
  context.register(resolverService(viewOf))
  return {
    nameServer: nameServers[0] ?? { host: loopback, port: 0 },
    nameServers,
    doh: Array.from({ length: resolverCount }, (_, instance) => `${baseUrl}${resolverPath(instance)}`),
  }
}

const nothing: ZoneView = { late: false, zoneOf: () => undefined }
