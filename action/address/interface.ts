import type { NetworkInterfaceInfo } from 'node:os'
import type { RecordType } from '../record-type.ts'
import { quote } from '../text/quote.ts'
import { families } from './family.ts'
import type { Vote } from './quorum.ts'
import type { InterfaceSource } from './source.ts'

/** This host's network interfaces by name, as `os.networkInterfaces` returns them. */
export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

/**
 * Returns an interface's vote. It counts only if there is one candidate, because the system does not tell which of
 * several addresses to publish. Loopback and link-local addresses are never candidates, and special-purpose ones only if
 * they are allowed. Candidates that `keyOf` maps to the same text count as one.
 */
export function askInterface(
  { name: source, device }: InterfaceSource,
  type: RecordType,
  interfaces: Interfaces,
  allowReserved: boolean,
  keyOf: (address: string) => string,
): Vote {
  const family = families[type]
  const addresses = interfaces[device]
  if (!addresses) {
    const names = Object.keys(interfaces).map(quote).join(', ')
    return {
      source,
      problem: `this host has ${names ? `no such interface, only ${names}` : 'no interfaces'}`,
    }
  }
  const own = addresses
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .flatMap(({ address }) => family.parse(address) ?? [])
  const usable = own.filter(address => allowReserved || family.specialPurposeOf(address) === null)
  const candidates = [...new Map(usable.map(address => [keyOf(address), address])).values()]
  const [address] = candidates
  if (address === undefined) {
    const found = own.map(address => `${address}: ${family.specialPurposeOf(address)}`).join('; ')
    return {
      source,
      problem: `has no public IPv${family.version} address${found === '' ? '' : ` (${found})`}`,
    }
  }
  if (candidates.length === 1) return { source, value: address }
  return {
    source,
    problem: `has ${candidates.length} addresses to choose from (${candidates.join(', ')})`,
    candidates,
  }
}
