import { clients } from '../../push/clients.ts'
import { fritzBox, hostLine, ipv6, password, second } from './endpoint.ts'

/** The network behind a router, whose own address `ipv6` is in another one, and what a router has in it. */
const network = '2a00:1450:4001:ef00'
const inside = `${network}::1`

/** The hosts of a home by their first label, with their types, and the address of each whose AAAA record has a host part. */
const hosts = [
  ['router', 'A,AAAA', null],
  ['nas', 'AAAA=::211:32ff:fe12:3456/64', `${network}:211:32ff:fe12:3456`],
  ['cam', 'AAAA=::7/64', `${network}::7`],
  ['tv', 'AAAA=::1:2:3:4/64,A', `${network}:1:2:3:4`],
  ['guest', 'AAAA=::5:0:0:0:9/56', '2a00:1450:4001:ef05::9'],
] as const

/** One ping for all of them: who sends it, its path, and the router's addresses in it. */
interface FivePing {
  readonly client: string
  readonly path: (names: readonly string[]) => string
  readonly own: readonly (string | null)[]
  readonly agent?: string
}

/** Returns what a FRITZ!Box makes of the line for it. It escapes nothing. */
function fritzBoxPath(names: readonly string[]): string {
  const client = clients.find(({ name }) => name === 'FRITZ!Box')
  const lines = client?.lines({ endpoint: 'push.example.com', hostnames: names, password })
  const [, path = '', search = ''] = /https:\/\/[^/]+([^?]+)(\?\S+)/.exec(lines?.join('\n') ?? '') ?? []
  const filled = search
    .replace('<domain>', names.join())
    .replace('<ipaddr>', second)
    .replace('<ip6addr>', ipv6)
    .replace('<ip6lanprefix>', `${network}::/56`)
  return path + filled
}

const expanded = '2a00:1450:4001:ef00:0000:0000:0000:0001'

/** The pings of clients with several names; `shapes.ts` of the proxies has their sources. */
export const fivePings: readonly FivePing[] = [
  { client: 'FRITZ!Box', path: fritzBoxPath, own: [second, ipv6], agent: fritzBox },
  {
    client: 'OpenWrt, of its LAN',
    path: names => `/nic/update?hostname=${names}&myip=${expanded}`,
    own: [null, inside],
  },
  {
    client: 'OPNsense, of its LAN',
    path: names =>
      `/nic/update?hostname=${encodeURIComponent(names.join())}&myip=${encodeURIComponent(inside)}&system=dyndns&wildcard=NOCHG`,
    own: [null, inside],
  },
  {
    client: 'pfSense, of its LAN',
    path: names => `/nic/update?hostname=${names}&myip=${inside}`,
    own: [null, inside],
  },
  {
    client: 'ddclient 4',
    path: names => `/nic/update?system=dyndns&hostname=${names}&myip=${second},${inside}`,
    own: [second, inside],
  },
]

/** Returns the names of a ping. Each has its own, because an endpoint reads a name six times a minute. */
export function namesOf(ping: FivePing): readonly string[] {
  return hosts.map(([host]) => `${host}.n${fivePings.indexOf(ping)}.example.com`)
}

/** Returns the lines of HOSTS for all pings. */
export async function fiveHostLines(): Promise<readonly string[]> {
  const all = fivePings.flatMap(ping => namesOf(ping).map((name, index) => hostLine(name, hosts[index]?.[1])))
  return Promise.all(all)
}

/** Returns the records of a ping's names before it. */
export function recordsOf(ping: FivePing) {
  return namesOf(ping).flatMap((name, index) => {
    const aaaa = { name, type: 'AAAA', content: '2a01::1' }
    return /\bA\b/.test(hosts[index]?.[1] ?? '') ? [{ name, content: '8.8.4.4' }, aaaa] : [aaaa]
  })
}

/** Returns what the endpoint answers with, in the order of the names. */
export function bodyOf(word: string, { own: [ipv4, own] }: FivePing): string {
  const lines = hosts.map(([, types, address]) => {
    const texts = [types.match(/\bA\b/) && ipv4, address ?? own].filter(text => text !== null)
    return `${word} ${texts.join()}\n`
  })
  return lines.join('')
}
