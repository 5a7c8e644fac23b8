import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { ipv6Text } from '../../lib/ip-address.ts'
import { readProcFile } from '../../lib/proc-file.ts'
import { quote } from '../../lib/quote.ts'
import type { RecordType } from '../../lib/record-type.ts'
import { families } from '../record-type.ts'
import { specialPurposeOf } from './check.ts'
import type { Answer } from './quorum.ts'

/** A network interface of this host. */
export interface InterfaceSource {
  readonly kind: 'interface'
  /** As it is reported: `interface:eth0`. */
  readonly name: string
  readonly device: string
}

/** An address of an interface, as `os.networkInterfaces` returns it. */
type InterfaceAddress = NetworkInterfaceInfo & {
  /** Why nobody should be told of it; null if nothing speaks against it, undefined if the system does not say. */
  readonly state?: string | null
}

/** This host's network interfaces by name. */
export type Interfaces = Readonly<Record<string, readonly InterfaceAddress[] | undefined>>

/** Lists the network interfaces of this host. On Linux, IPv6 addresses have a state. */
export function listInterfaces(): Interfaces {
  // Hardened units have `/proc/self` alone (systemd.exec, ProcSubset=).
  return withStates(networkInterfaces(), readProcFile('/proc/self/net/if_inet6'))
}

/**
 * Flags of an IPv6 address (Linux, `if_addr.h`): it is no longer given out, not yet checked for a duplicate, was refused as
 * one, or is only for connections from here (RFC 8981).
 */
const unusableFlags = [
  [0x20, 'deprecated'],
  [0x40, 'tentative'],
  [0x08, 'a duplicate'],
  [0x01, 'temporary'],
] as const

/** Adds the state of each IPv6 address. @param table the text of `/proc/net/if_inet6`; empty on systems without it */
export function withStates(interfaces: Interfaces, table: string): Interfaces {
  const states = new Map<string, string | null>()
  for (const line of table.split('\n')) {
    const [hex = '', , , , flags = '', device = ''] = line.trim().split(/\s+/)
    if (!/^[0-9a-f]{32}$/.test(hex)) continue
    const found = unusableFlags.find(([flag]) => (Number.parseInt(flags, 16) & flag) !== 0)
    states.set(`${device} ${ipv6Text(BigInt(`0x${hex}`))}`, found?.[1] ?? null)
  }
  const marked = Object.entries(interfaces).map(([device, addresses = []]) => [
    device,
    addresses.map(info => {
      const state = states.get(`${device} ${info.address}`)
      return state === undefined ? info : { ...info, state }
    }),
  ])
  return Object.fromEntries(marked)
}

/**
 * Returns an interface's vote. It counts only if there is one candidate, because the system does not tell which of
 * several addresses to publish. Loopback and link-local addresses are never candidates, and special-purpose ones only if
 * they are allowed, and none that the system marks unusable. Candidates that `keyOf` maps to the same text count as one.
 */
export function askInterface(
  { device }: InterfaceSource,
  type: RecordType,
  interfaces: Interfaces,
  allowReserved: boolean,
  keyOf: (address: string) => string,
): Answer {
  const family = families[type]
  const addresses = interfaces[device]
  if (!addresses) {
    const names = Object.keys(interfaces).map(quote).join(', ')
    return { problem: `this host has ${names ? `no such interface, only ${names}` : 'no interfaces'}` }
  }
  const listed = addresses
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .flatMap(({ address, state }) => {
      const parsed = family.parse(address)
      return parsed === null ? [] : { address: parsed, state }
    })
  const usable = listed.flatMap(({ address, state }) =>
    !state && (allowReserved || specialPurposeOf(address) === null) ? address : [],
  )
  const candidates = [...new Map(usable.map(address => [keyOf(address), address])).values()]
  const [address] = candidates
  if (address === undefined) {
    const found = listed
      .map(({ address, state }) => `${address}: ${state ?? specialPurposeOf(address)}`)
      .join('; ')
    return { problem: `has no public IPv${family.version} address${found === '' ? '' : ` (${found})`}` }
  }
  if (candidates.length === 1) return { value: address }
  const isUnmarked = type === 'AAAA' && listed.every(({ state }) => state === undefined)
  const advice = isUnmarked
    ? '; this system does not tell which are deprecated or temporary: use an echo service instead'
    : ''
  return {
    problem: `has ${candidates.length} addresses to choose from (${candidates.join(', ')})${advice}`,
    candidates,
  }
}
