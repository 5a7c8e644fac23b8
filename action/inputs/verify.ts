import { isIPv4, isIPv6 } from 'node:net'
import { canonicalHostname } from '../../lib/hostname.ts'
import { quote } from '../text/quote.ts'
import type { NameServer, Verify } from '../verify.ts'
import { type Reader, readChoice } from './reader.ts'

const maxServers = 20
const dnsPort = 53
const maxPort = 65_535

/** Reads `verify` and `name-servers`. */
export function readVerify(read: Reader): Verify {
  const by = readChoice(read, 'verify', ['response', 'dns'])
  const lines = read.lines('name-servers')
  const addProblem = (message: string) => read.addProblem('name-servers', message)
  if (by === 'response') {
    if (lines.length > 0) addProblem('is only used with verify: dns. Set that, or remove name-servers.')
    return { by }
  }
  if (lines.length > maxServers) {
    addProblem(`lists ${lines.length} name servers. The limit is ${maxServers}.`)
    return { by, servers: [] }
  }
  const servers = new Map<string, NameServer>()
  for (const line of lines) {
    const server = parseServer(line)
    if (!server) {
      addProblem(
        `${quote(line)} is not a name server. Write host or host:port, such as ns1.example.net or [2001:db8::1]:53.`,
      )
    } else if (servers.has(`${server.host} ${server.port}`)) {
      addProblem(`lists ${quote(line)} twice. Remove one of the lines.`)
    } else {
      servers.set(`${server.host} ${server.port}`, server)
    }
  }
  return { by, servers: [...servers.values()] }
}

/** Parses a host name or an address, with or without a port. An IPv6 address is in brackets if a port follows. */
function parseServer(text: string): NameServer | null {
  if (isIPv6(text)) return { name: text, host: text, port: dnsPort }
  const [, inBrackets, plain = '', digits] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? []
  const ipv6 = inBrackets !== undefined && isIPv6(inBrackets) ? inBrackets : null
  const host = ipv6 ?? (isIPv4(plain) ? plain : canonicalHostname(plain))
  const port = Number(digits ?? dnsPort)
  if (!host || port < 1 || port > maxPort) return null
  const shown = ipv6 ? `[${host}]` : host
  return { name: port === dnsPort ? host : `${shown}:${port}`, host, port }
}
