import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { type Interfaces, withStates } from './address/interface.ts'

/** Lists the network interfaces of this host. On Linux, IPv6 addresses have a state. */
export function listInterfaces(): Interfaces {
  return withStates(networkInterfaces(), readTable())
}

/** Returns an empty text on systems without this file. Hardened units have `/proc/self` alone (systemd.exec, ProcSubset=). */
function readTable(): string {
  try {
    return readFileSync('/proc/self/net/if_inet6', 'utf8')
  } catch {
    return ''
  }
}
