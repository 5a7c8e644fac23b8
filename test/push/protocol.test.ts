import { expect, it } from 'vitest'
import { parseSuffix } from '../../lib/ipv6-suffix.ts'
import {
  hasFirstNetwork,
  passwordOf,
  pathOf,
  readAddresses,
  readNames,
  readParameters,
} from '../../push/protocol.ts'
import { expectValue } from '../support/expect-value.ts'
import { first, home, ipv6, second } from './endpoint.ts'

const several = 'There are several addresses of one family.'
const badPrefix = 'ip6lanprefix is not a prefix of 64 bits or fewer, such as 2001:db8:1:2::/64.'
const noSuffix = 'ip6lanprefix needs a host part in HOSTS, which no name has.'
const tooShort = (bits: number, needed: number) =>
  `ip6lanprefix has ${bits} bits, and the host part of this name follows ${needed}. Send the prefix of its network.`
const stray = (name: string) =>
  `An address is in ${name === '' ? 'an unknown parameter' : `the unknown parameter "${name}"`}. Use myip, myipv6 or ip6lanprefix.`
const unread = (text: string) => `An address cannot be read${text && `: "${text}"`}.`

/** Returns the address for the A and for the AAAA record, or why there is none. A record is left alone with null. */
function read(query: string, caller: string | null = second, suffix = '', isFirst = false) {
  const own = suffix === '' ? null : expectValue(parseSuffix(suffix))
  const { A, AAAA } = readAddresses(new URLSearchParams(query), caller, own, { isFirst })
  return [A, AAAA].map(address => ('problem' in address ? address.problem : address.value))
}

it.each([
  ['', second, null],
  ['myip=', second, null],
  ['myip=<ipaddr>&myipv6=<ip6addr>', second, null],
  [`username=10.0.0.7&myip=${first}`, first, null],
  [`myip=${first},${ipv6}`, first, ipv6],
  [`myip=${first}&myipv6=${ipv6}`, first, ipv6],
  [`myip=${ipv6}`, null, ipv6],
  [`myip=${first},${ipv6}&myip=${first}&myipv6=${ipv6.toUpperCase()}`, first, ipv6],
  ['mac=00:11:22:aa:bb:cc&time=12:30:45&fw=7.57.1&at=2026-11-26T12:30:45&zip=1234&agent=a b', second, null],
  // What cannot be used holds back the records of its family, and those that have no other address.
  [`myip=${first},${second}`, several, several],
  [`myip=${first},${ipv6},2a00::1`, first, several],
  ['myip=none', unread(''), unread('')],
  // An answer never repeats a word of success.
  ['myip=good:nochg:1', unread(''), unread('')],
  [`myip=${first}&myipv6=fe80::1%25eth0`, first, unread('')],
  [`ip4=${first}/32`, stray('ip4'), stray('ip4')],
  [`myipv4=${first}&myip=${second}`, stray('myipv4'), stray('myipv4')],
  [`x=1&amp;myip=${first}`, stray('amp;myip'), stray('amp;myip')],
  [`myip=${first}&ip6=2a00::1`, first, stray('ip6')],
  [`myip=${first}&Token=${second}`, stray(''), stray('')],
  [`myip=${first}&a%20b=${second}`, stray(''), stray('')],
  // A password in the place of a name is repeated nowhere.
  [`myip=${first}&abcdefghijklmnopqrstuvwxyz=${second}`, stray(''), stray('')],
  // In a parameter of another name, nothing else is looked at.
  [`myip=${first}&ipv6=2a01::/647656:3cff&wanip=009.009.009.009`, first, null],
  [`myip=${first},2a01:4f8:1:2::/59`, first, unread('2a01:4f8:1:2::/59')],
  [`myip=${first}&myipv6=1.2.3`, first, unread('1.2.3')],
  ['myip=9.9.9.9:80&myipv6=2a00::1', unread('9.9.9.9:80'), unread('9.9.9.9:80')],
  ['myip=2a00::1,009.009.009.009', unread('009.009.009.009'), unread('009.009.009.009')],
  [`myip=${first}&ip6lanprefix=2a00::/64,2a01::/64`, first, several],
  [`myip=${first}&ip6lanprefix=2a00::/64`, first, noSuffix],
  ['ip6lanprefix=2a00::/64', noSuffix, noSuffix],
  [`myip=${first},${ipv6}&ip6lanprefix=2a00::/64`, first, ipv6],
])('the addresses of a request with "%s" are %s and %s', (query, A, AAAA) => {
  expect(read(query)).toEqual([A, AAAA])
})

it('the address of an IPv6 caller is for the AAAA record, and that of an unknown one for none', () => {
  expect(read('', ipv6)).toEqual([null, ipv6])
  expect(read('', null)).toEqual([null, null])
  expect(read(`ip4=${first}`, ipv6)).toEqual([stray('ip4'), stray('ip4')])
})

const lan = '2a00:1450:4001:ef00'
const refused = (bits: number) => [first, tooShort(bits, 64)] as const

it.each([
  [`ip6lanprefix=${lan.toUpperCase()}::9/64`, '::7/64', `${lan}::7`],
  [`ip6lanprefix=${encodeURIComponent(`${lan}::/64`)}`, '::7/64', `${lan}::7`],
  // The router's own address is in another network.
  [`myipv6=${ipv6}&ip6lanprefix=${lan}::/64`, '::7/64', `${lan}::7`],
  [`myip=${first},${ipv6},2a01::1&ip6lanprefix=${lan}::/64`, '::7/64', `${lan}::7`],
  // A longer prefix is cut.
  [`ip6lanprefix=2a00:1450:4001:ef12:3::/80`, '::7/64', '2a00:1450:4001:ef12::7'],
  [`ip6lanprefix=2a00:1450:4001:ef12::5/128`, '::7/64', '2a00:1450:4001:ef12::7'],
  [`ip6lanprefix=2a00:1450:4001:ef12::/64`, '::34:0:0:0:7/56', '2a00:1450:4001:ef34::7'],
  [`ip6lanprefix=${lan}::/56`, '::34:0:0:0:7/56', '2a00:1450:4001:ef34::7'],
  // Without one, the network is that of an address which the router sends.
  [`myipv6=${ipv6}`, '::7/64', '2a00:1450:4001:82b::7'],
  [`myip=${ipv6}`, '::7/64', '2a00:1450:4001:82b::7'],
])('a host behind the router has, with %s, the host part %s in %s', (query, suffix, address) => {
  expect(read(query, '2a03::1', suffix)[1]).toBe(address)
})

it.each([
  // The address that the ping came from is in no network that it names.
  ['', null, null],
  [`myip=${first}`, first, null],
  ['hostname=nas.example.com&myip=&myipv6=&ip6lanprefix=', null, null],
  // A router without a prefix sends none, and its own address.
  [`myip=${first}&myipv6=${ipv6}&ip6lanprefix=`, first, null],
  [`myip=${first}&myipv6=${ipv6}&ip6lanprefix=<ip6lanprefix>`, first, null],
  [`myip=${first}&myipv6=${ipv6}&ip6lanprefix=2a00::/64,2a01::/64`, first, several],
  [`myip=${first}&myipv6=${ipv6}&ip6lanprefix=${lan}::/129`, first, badPrefix],
  [`myip=${first}&myipv6=${ipv6}&ip6lanprefix=${lan}::`, first, badPrefix],
  [`myip=${first}&myipv6=${ipv6},2a01::1`, first, several],
  [`myip=${first}&myipv6=${ipv6}&ip6lanprefix=${lan}::/60`, ...refused(60)],
  [`myip=${first}&myipv6=${ipv6}&ip6lanprefix=${lan}::/56`, ...refused(56)],
  [`myip=${first}&myipv6=${ipv6}&ip6lanprefix=2a00:1450:4001::/48`, ...refused(48)],
])('a host behind the router has no address with "%s": %s and %s', (query, A, AAAA) => {
  expect(read(query, '2a03::1', '::7/64')).toEqual([A, AAAA])
})

it.each([
  ['2a00:1450:4001:ef00::/56', '::7/64', '2a00:1450:4001:ef00::7'],
  ['2a00:1450:4001::/48', '::7/64', '2a00:1450:4001::7'],
  ['2a00:1450:4001:ef12::9/60', '::7/64', '2a00:1450:4001:ef10::7'],
  ['2a00:1450:4001:ef00::/56', '::7/60', '2a00:1450:4001:ef00::7'],
])(
  'the network of a FRITZ!Box is the first /64 of %s: the host part %s is in %s',
  (prefix, suffix, address) => {
    expect(read(`ip6lanprefix=${prefix}`, second, suffix, true)[1]).toBe(address)
  },
)

it.each([
  ['Fritz!Box DDNS/1.0.1', true],
  ['OPNsense-dyndns', false],
  ['curl/7.88.1 Fritz!Box', false],
])('the agent %s is that of a FRITZ!Box: %s', (agent, isFirst) => {
  const headers = { 'user-agent': agent }
  expect(hasFirstNetwork(new Request('https://push.example/', { headers }))).toBe(isFirst)
})

it.each(['/nic/update', '//nic//update', '/nic/update/'])('the path %s is that of an update', path => {
  expect(pathOf(new Request(`https://push.example${path}?myip=`))).toBe('/nic/update')
})

it.each([
  ['application/x-www-form-urlencoded', home],
  // The names of media types have no case (RFC 9110, section 8.3.1).
  ['Application/X-WWW-Form-Urlencoded; charset=utf-8', home],
  ['application/json', null],
])('a form is read beside the query, as %s: %s', async (type, hostname) => {
  const body = `hostname=${home}`
  const headers = { 'content-type': type, 'content-length': String(body.length) }
  const request = new Request('https://push.example/nic/update?myip=x', { method: 'POST', headers, body })
  const parameters = await readParameters(request)
  expect([parameters.get('myip'), parameters.get('hostname')]).toEqual(['x', hostname])
})

it('the names of a request are at most twenty, in canonical form', () => {
  const read = (hostname: string) => readNames(new URLSearchParams({ hostname }))
  expect(read('HOME.example.com.,home')).toEqual({ value: [home, null] })
  expect(read('')).toEqual({ problem: 'notfqdn' })
  expect(read(Array(20).fill(home).join())).toEqual({ value: Array(20).fill(home) })
  expect(read(Array(21).fill(home).join())).toEqual({ problem: 'numhost' })
})

it.each([
  ['Basic', 'any:a:b', false, 'a:b'],
  ['basic ', ':x', false, 'x'],
  ['Basic', 'x', false, null],
  ['Bearer', 'any:x', false, null],
  ['Basic', 'x', true, 'q'],
])('the password of %s with %j is read (in the query: %s): %j', (scheme, text, inQuery, password) => {
  const headers = { authorization: `${scheme} ${btoa(text)}` }
  const parameters = new URLSearchParams({ password: 'q' })
  expect(passwordOf(new Request('https://push.example/', { headers }), parameters, inQuery)).toBe(password)
})

it.each(['2a00::/0', '2a00::/65', '2a00::/064', '/64', '198.51.100.0/24'])(
  '%s is no prefix of a network',
  prefix => {
    expect(read(`myip=${first}&ip6lanprefix=${prefix}`)).toEqual([first, badPrefix])
  },
)
