import { lookup } from 'node:dns'
import { type LookupFunction, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'

/**
 * The longest time for one of several addresses, in milliseconds: a round trip over a satellite or a full uplink takes up
 * to two seconds. Node's own limit is 250 ms.
 */
export const maxAttemptMs = 3000

/** Lets what connects without these agents, to a proxy and to PostgreSQL, wait as long for each address from now on. */
export function waitForAddresses(): void {
  setDefaultAutoSelectFamilyAttemptTimeout(maxAttemptMs)
}

/** The hosts whose names the system is looking up, once for each lookup. */
const lookups: string[] = []

/** Returns how many names the system is looking up, or how often this one. */
export function pendingLookups(host?: string): number {
  return lookups.filter(other => host === undefined || other === host).length
}

/** Looks up the addresses of a host with the resolver of the system, and counts the lookup until it ends. */
export const countedLookup: LookupFunction = (host, options, callback) => {
  lookups.push(host)
  // Without a network, Node's own hint (AI_ADDRCONFIG) turns EAI_AGAIN into ENOTFOUND.
  lookup(host, { ...options, hints: 0 }, (error, ...found) => {
    lookups.splice(lookups.indexOf(host), 1)
    callback(error, ...found)
  })
}

const lookupCode = 'EAI_AGAIN'
const routeCodes = ['ENETUNREACH', 'EHOSTUNREACH']

/**
 * Whether an error says that this machine has no network yet, as after boot or resume, so that nothing was sent. The same
 * code on an open connection says nothing about what was sent before.
 */
export function isOffline(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isOffline)
  if (!(error instanceof Error)) return false
  // Errors of the system have both.
  const { code = '', syscall } = error as NodeJS.ErrnoException
  if (code === lookupCode) return true
  return syscall === 'connect' && routeCodes.includes(code)
}

/** Returns the error of one of several addresses, rather one that says more than that there is no route. Returns any other error as it is. */
export function ofAddress(error: unknown): unknown {
  if (!(error instanceof AggregateError)) return error
  return error.errors.find(one => !isOffline(one)) ?? error.errors[0]
}
