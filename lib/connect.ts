import { type LookupAddress, lookup } from 'node:dns'
import { type AgentOptions, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { connect, isIP, type Socket, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import type { Duplex } from 'node:stream'
import { isOffline } from './late-network.ts'

/**
 * The longest time for one of several addresses, in milliseconds: a round trip over a satellite or a full uplink takes up
 * to two seconds. Node's own limit is 250 ms.
 */
export const maxAttemptMs = 3000

/** The request ends before the attempt at its last address, so that its own limit is what failed. In milliseconds. */
const graceMs = 1000

// For what connects without these agents: to a proxy, and to PostgreSQL.
setDefaultAutoSelectFamilyAttemptTimeout(maxAttemptMs)

/** What an agent reads of a request's options besides those of Node. */
export interface Deadline {
  /** When the request ends at the latest, on the clock of `performance.now()`. Without it, an address gets three seconds. */
  readonly endMs?: number
}

/** Where to connect, as an agent is told. */
interface Target extends Deadline {
  readonly host?: string
  readonly port?: number | string
  readonly family?: number
  readonly signal?: AbortSignal
}

type Callback = (error: Error | null, socket: Duplex) => void

/** Variables that name a proxy: `HTTPS_PROXY` and `NO_PROXY`, in either case. */
export type ProxyEnv = Readonly<Record<string, string | undefined>>

/**
 * Creates the agent for the origin of a URL. It tries the addresses of a host one after the other, families in turn. With
 * `proxyEnv`, Node decides which https requests go through a proxy.
 */
export function createAgent(url: URL, options: AgentOptions, proxyEnv: ProxyEnv = {}): HttpAgent {
  if (url.protocol !== 'https:') return new PatientHttpAgent(options)
  const isProxied = Boolean(proxyEnv['HTTPS_PROXY'] || proxyEnv['https_proxy'])
  return isProxied ? new HttpsAgent({ ...options, proxyEnv }) : new PatientHttpsAgent(options)
}

class PatientHttpAgent extends HttpAgent {
  override createConnection(target: Target, callback?: Callback): undefined {
    open(target).then(
      socket => callback?.(null, socket),
      (error: Error) => fail(error, callback),
    )
  }
}

class PatientHttpsAgent extends HttpsAgent {
  override createConnection(target: Target, callback?: Callback): undefined {
    open(target).then(
      // Node starts TLS on a socket that it is given.
      socket => callback?.(null, super.createConnection({ ...target, socket } as object) as Duplex),
      (error: Error) => fail(error, callback),
    )
  }
}

/** Node's types want a socket even for a failure. */
function fail(error: Error, callback?: Callback): void {
  ;(callback as ((error: Error) => void) | undefined)?.(error)
}

/**
 * Connects to the first address that answers. Each address but the last has three seconds, or half of the time that is
 * left if that is less. Rejects with the error of an address, rather one that says more than that there is no route.
 */
async function open(target: Target): Promise<Socket> {
  const { endMs = Number.POSITIVE_INFINITY, signal } = target
  const addresses = inTurn(await addressesOf(target))
  const errors: unknown[] = []
  for (const [index, address] of addresses.entries()) {
    if (signal?.aborted) break
    const leftMs = endMs - performance.now()
    const isLast = index === addresses.length - 1
    try {
      return await attempt(target, address, attemptLimitMs(leftMs, isLast))
    } catch (error) {
      errors.push(error)
    }
  }
  throw errors.find(error => !isOffline(error)) ?? errors[0] ?? new Error('aborted')
}

/** Returns how long the attempt at an address can take, in milliseconds, of the time that is left for the request. */
export function attemptLimitMs(leftMs: number, isLast: boolean): number {
  return isLast ? leftMs + graceMs : Math.min(maxAttemptMs, leftMs / 2)
}

function addressesOf({ host = 'localhost', family = 0 }: Target): Promise<readonly LookupAddress[]> {
  if (isIP(host)) return Promise.resolve([{ address: host, family: isIP(host) }])
  return new Promise((resolve, reject) => {
    lookup(host, { all: true, family }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })
}

/** Sorts addresses so that the families take turns, in the order of the resolver (RFC 8305 §4). */
export function inTurn(addresses: readonly LookupAddress[]): readonly LookupAddress[] {
  const [first] = addresses
  const isFirst = ({ family }: LookupAddress) => family === first?.family
  const families = [addresses.filter(isFirst), addresses.filter(address => !isFirst(address))]
  return addresses.flatMap((_, index) => families.flatMap(list => list[index] ?? []))
}

function attempt(target: Target, { address }: LookupAddress, limitMs: number): Promise<Socket> {
  const { signal } = target
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port: Number(target.port), noDelay: true })
    const timer = Number.isFinite(limitMs) ? setTimeout(giveUp, Math.max(1, limitMs)) : undefined
    signal?.addEventListener('abort', giveUp, { once: true })
    socket.once('connect', () => done(() => resolve(socket)))
    socket.once('error', error => done(() => reject(error)))

    function giveUp(): void {
      socket.destroy(Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT', syscall: 'connect' }))
    }
    function done(settle: () => void): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
      socket.removeAllListeners('connect').removeAllListeners('error')
      settle()
    }
  })
}
