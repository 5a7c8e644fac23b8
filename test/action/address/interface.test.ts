import type { NetworkInterfaceInfo } from 'node:os'
import { describe, expect, it } from 'vitest'
import { askInterface, type InterfaceSource, withStates } from '../../../action/address/interface.ts'
import { ipv6Bits, ipv6Network } from '../../../lib/ip-address.ts'

const source: InterfaceSource = { kind: 'interface', name: 'interface:eth0', device: 'eth0' }
const same = (address: string) => address
const bitsOf = (address: string) => ipv6Bits(address).toString(16)

/** An address as Node lists it; link-local IPv6 addresses have a scope. */
function info(address: string): NetworkInterfaceInfo {
  const internal = address === '::1' || address.startsWith('127.')
  const common = { address, netmask: '', mac: '', internal, cidr: null }
  if (!address.includes(':')) return { ...common, family: 'IPv4' }
  return { ...common, family: 'IPv6', scopeid: address.startsWith('fe80') ? 2 : 0 }
}

const ask = (type: 'A' | 'AAAA', addresses: readonly string[], allowReserved = false, keyOf = same) =>
  askInterface(source, type, { eth0: addresses.map(info) }, allowReserved, keyOf)

describe('an interface', () => {
  it('has one vote for several addresses with the same prefix', () => {
    const temporary = ['2a00:1450:1:2:aaaa::1', '2a00:1450:1:2:bbbb::1']
    expect(ask('AAAA', temporary)).toHaveProperty('candidates')
    const prefixOf = (address: string) => ipv6Network(address, 64)
    expect(ask('AAAA', temporary, false, prefixOf)).toHaveProperty('value')
    expect(ask('AAAA', [...temporary, '2a00:1450:1:3::1'], false, prefixOf)).toHaveProperty('candidates')
  })

  it('has no vote without a public address, and lists the addresses it has', () => {
    expect(ask('A', ['192.168.1.2', '100.64.1.1'])).toEqual({
      problem: expect.stringMatching(
        /^has no public IPv4 address \(192\.168\.1\.2: private.*; 100\.64\.1\.1: carrier/,
      ),
    })
    expect(ask('AAAA', ['192.168.1.2'])).toMatchObject({ problem: 'has no public IPv6 address' })
    expect(askInterface(source, 'A', { lo: [], wlan0: [] }, false, same)).toMatchObject({
      problem: 'this host has no such interface, only "lo", "wlan0"',
    })
  })

  it('gives a private address only if that is allowed, and never loopback or link-local', () => {
    const addresses = ['127.0.0.1', '192.168.1.2', '::1', 'fe80::1', 'fd00::2']
    expect(ask('A', addresses, true)).toMatchObject({ value: '192.168.1.2' })
    expect(ask('AAAA', addresses, true)).toMatchObject({ value: 'fd00::2' })
  })

  it('leaves out what Linux marks deprecated, tentative, temporary or a duplicate, and says so', () => {
    const addresses = ['2::5', '1::5', '2::6', '2::7', '2::8'].map(end => `2a00:1450:1:${end}`)
    // The flags are IFA_F_PERMANENT, and then DEPRECATED, TENTATIVE, TEMPORARY and DADFAILED (if_addr.h).
    const table = ['80', 'a0', '40', '01', '88'].map(
      (flags, index) => `${bitsOf(addresses[index] ?? '').padStart(32, '0')} 02 40 00 ${flags}     eth0\n`,
    )
    const eth0 = addresses.map(info)
    const marked = withStates({ eth0, wlan0: eth0 }, table.join(''))
    const askMarked = (device: string, interfaces = marked) =>
      askInterface({ ...source, device }, 'AAAA', interfaces, false, same)
    expect(askMarked('eth0')).toEqual({ value: '2a00:1450:1:2::5' })
    expect(askMarked('eth0', withStates({ eth0: eth0.slice(1) }, table.join('')))).toMatchObject({
      problem:
        'has no public IPv6 address (2a00:1450:1:1::5: deprecated; 2a00:1450:1:2::6: tentative; ' +
        '2a00:1450:1:2::7: temporary; 2a00:1450:1:2::8: a duplicate)',
    })
    // Another interface, and other systems: nothing says which is which.
    for (const unmarked of [askMarked('wlan0'), askMarked('eth0', { eth0 })])
      expect(unmarked).toMatchObject({
        problem: expect.stringMatching(
          /^has 5 addresses .* does not tell which are deprecated or temporary: use an echo/,
        ),
      })
  })
})
