/** A cloud of the identity provider: where people sign in, and the directory services that take its tokens. */
interface Cloud {
  readonly name: string
  readonly instances: readonly string[]
  readonly graphs: readonly string[]
}

/** Login and Graph hosts of each cloud, as Microsoft lists them for national clouds. The first Graph is the usual one. */
const clouds: readonly Cloud[] = [
  { name: 'the global cloud', instances: ['login.microsoftonline.com'], graphs: ['graph.microsoft.com'] },
  {
    name: 'the US Government cloud',
    instances: ['login.microsoftonline.us'],
    graphs: ['graph.microsoft.us', 'dod-graph.microsoft.us'],
  },
  {
    name: 'the cloud operated by 21Vianet',
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
  const wanted = login ? login.graphs.join(' or ') : null
  return wanted
    ? `is not the Graph of ${login?.name}, to which INSTANCE belongs. Use https://${wanted}.`
    : `belongs to ${graph?.name}, and INSTANCE does not.`
}
