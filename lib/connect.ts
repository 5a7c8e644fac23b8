import { type LookupAddress, lookup } from 'node:dns'
import { connect, isIP, type Socket, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'

/**
 * The longest time for one of several addresses, in milliseconds: a round trip over a satellite or a full uplink takes up
 * to two seconds. Node's own limit is 250 ms.
 */
const maxAttemptMs = 3000

/** The request ends before the attempt at its last address, so that its own limit is what failed. In milliseconds. */
const graceMs = 1000

/** Lets what connects without these agents, to a proxy and to PostgreSQL, wait as long for each address from now on. */
export function waitForAddresses(): void {
  setDefaultAutoSelectFamilyAttemptTimeout(maxAttemptMs)
}

/** Where to connect. */
export interface Target {
  readonly host?: string
  readonly port?: number | string
  readonly family?: number
  readonly signal?: AbortSignal
  /** When the request ends at the latest, on the clock of `performance.now()`. Without it, an address gets three seconds. */
  readonly endMs?: number
}

/**
 * Connects to the first address that answers. Each address but the last has three seconds, or half of the time that is
 * left if that is less. Rejects with the error of an address, rather one that says more than that there is no route.
 */
export async function open(target: Target): Promise<Socket> {
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

/** The hosts whose names the system is looking up, once for each lookup. */
const lookups: string[] = []

/** Returns how many names the system is looking up, or how often this one. */
export function pendingLookups(host?: string): number {
  return lookups.filter(other => host === undefined || other === host).length
}

function addressesOf({ host = 'localhost', family = 0 }: Target): Promise<readonly LookupAddress[]> {
  if (isIP(host)) return Promise.resolve([{ address: host, family: isIP(host) }])
  lookups.push(host)
  return new Promise((resolve, reject) => {
    lookup(host, { all: true, family }, (error, addresses) => {
      lookups.splice(lookups.indexOf(host), 1)
      if (error) reject(error)
      else resolve(addresses)
    })
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

const lookupCode = 'EAI_AGAIN'
const routeCodes = ['ENETUNREACH', 'EHOSTUNREACH']

/** The wait before another attempt, in milliseconds. */
const pauseMs = 250

/**
 * Whether an error says that this machine has no network yet, as after boot or resume, so that nothing was sent. The same
 * code on an open connection says nothing about what was sent before.
 */
export function isOffline(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isOffline)
  if (!(error instanceof Error)) return false
  const { code = '', syscall } = error as { readonly code?: string; readonly syscall?: string }
  if (code === lookupCode) return true
  return syscall === 'connect' && routeCodes.includes(code)
}

/** Repeats an attempt until something other than `isUnsent` comes of it, or the signal aborts. Returns the last outcome. */
export async function whileUnsent<Outcome>(
  attempt: () => Promise<Outcome>,
  isUnsent: (outcome: Outcome) => boolean,
  signal: AbortSignal,
): Promise<Outcome> {
  for (;;) {
    const outcome = await attempt()
    if (!isUnsent(outcome) || signal.aborted) return outcome
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, pauseMs)
      signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true })
    })
    if (signal.aborted) return outcome
  }
}
