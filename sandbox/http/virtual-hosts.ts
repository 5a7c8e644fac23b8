import { resolverPath } from '../dns/doh.ts'
import type { RequestHead, Service } from './exchange.ts'

/** Everybody who answers on the ports of the DNS API. */
export type Services = {
  readonly api: Service
  readonly workers: Service
  /** Whether a Worker answers for this. */
  isForWorker(asked: RequestHead): boolean
  readonly resolvers: readonly Service[]
  readonly echoes: readonly Service[]
  /** For people. */
  readonly homePage: Service
}

/** Public echoes and resolvers, by what they are called where a hosts file leads here. */
const echoHosts: Readonly<Record<string, number>> = {
  'api.ipify.org': 0,
  'api4.ipify.org': 0,
  'checkip.amazonaws.com': 1,
  'icanhazip.com': 2,
  'ipv4.icanhazip.com': 2,
}
const resolverHosts: Readonly<Record<string, number>> = {
  'cloudflare-dns.com': 0,
  'one.one.one.one': 0,
  'dns.google': 1,
}
const resolverPaths = ['/dns-query', '/resolve']

const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])$/

/** The host that a request is for, in lower case and without a port. */
const hostOf = ({ headers }: RequestHead): string =>
  (headers['host'] ?? '').toLowerCase().replace(/:\d+$/, '')

const instanceOf = (hosts: Readonly<Record<string, number>>, host: string): number | undefined =>
  Object.hasOwn(hosts, host) ? hosts[host] : undefined

/** Only this machine's own page is for a browser; under another name it could be one that a page elsewhere made up. */
const isForPerson = ({ method, path, headers }: RequestHead, host: string): boolean =>
  loopbackHost.test(host) &&
  method === 'GET' &&
  path === '/' &&
  /\btext\/html\b/.test(headers['accept'] ?? '')

/** Chooses who answers: by the host first, as on one address behind which many names stand; the API gets the rest. */
export const chooser =
  ({ api, workers, isForWorker, resolvers, echoes, homePage }: Services) =>
  (asked: RequestHead): Service => {
    if (isForWorker(asked)) return workers
    const host = hostOf(asked)
    const echo = echoes[instanceOf(echoHosts, host) ?? -1]
    if (echo) return echo
    const resolver = resolvers[instanceOf(resolverHosts, host) ?? 0]
    if (resolver && resolverPaths.includes(asked.path)) return resolver
    const numbered = resolvers.find((_, instance) => asked.path === resolverPath(instance))
    if (numbered) return numbered
    return isForPerson(asked, host) ? homePage : api
  }
