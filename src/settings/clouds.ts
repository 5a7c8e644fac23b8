/** A cloud of the identity provider: where people sign in, and the directory services that take its tokens. */
interface Cloud {
  readonly instances: readonly string[]
  /** The first is the usual one. */
  readonly graphs: readonly string[]
}

/** Login and Graph hosts of each cloud, as Microsoft lists them: global, US Government, operated by 21Vianet. */
const clouds: readonly Cloud[] = [
  { instances: ['login.microsoftonline.com'], graphs: ['graph.microsoft.com'] },
  { instances: ['login.microsoftonline.us'], graphs: ['graph.microsoft.us', 'dod-graph.microsoft.us'] },
  {
    instances: ['login.partner.microsoftonline.cn', 'login.chinacloudapi.cn'],
    graphs: ['microsoftgraph.chinacloudapi.cn'],
  },
]

/** The Graph address that belongs to a login host, or null when the host is of no cloud we know. */
export function graphUrlFor(instanceHost: string): string | null {
  const host = clouds.find(({ instances }) => instances.includes(instanceHost))?.graphs[0]
  return host ? `https://${host}` : null
}

/** Why a login host and a Graph host do not belong together (tokens do not cross clouds), or null when they may. */
export function cloudMismatch(instanceHost: string, graphHost: string): string | null {
  const login = clouds.find(({ instances }) => instances.includes(instanceHost))
  const graph = clouds.find(({ graphs }) => graphs.includes(graphHost))
  if (login === graph) return null
  const wanted = login ? ` Use https://${login.graphs.join(' or ')}.` : ''
  return `is of another cloud than INSTANCE, whose tokens it refuses.${wanted}`
}
