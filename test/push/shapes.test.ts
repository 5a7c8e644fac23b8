import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Stage, startStage } from '../support/stage.ts'
import { first, home, hostLine, ipv6, password, second, startEndpoint } from './endpoint.ts'

let stage: Stage & { close(): Promise<void> }
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())

// Each as the client sends it, with its source.
it.each([
  // The maker's page on user-defined DynDNS; the URL is filled without escaping.
  ['FRITZ!OS', `hostname=${home}&myip=${second}&myipv6=${ipv6}&ip6lanprefix=2a00:1450:4001:ef00::/64`, {}],
  // A box without IPv6 leaves the placeholder, or nothing.
  ['FRITZ!OS without IPv6', `hostname=${home}&myip=${second}&myipv6=<ip6addr>&ip6lanprefix=`, {}],
  // willswire/unifi-ddns, issues 6 and 13: inadyn with %h and %i, sometimes with a double slash.
  ['UniFi', `hostname=${home}&myip=${second}`, { path: '//nic/update' }],
  // ddclient 3.8, nic_dyndns2_update.
  ['EdgeOS', `system=dyndns&hostname=${home}&myip=${second}`, {}],
  // openwrt/packages, ddns-scripts, services: dyn.com.
  ['OpenWrt', `hostname=${home}&myip=${second}`, { path: '/v3/update' }],
  // pfsense, dyndns.class, type dyndns.
  ['pfSense', `system=dyndns&hostname=${home}&myip=${second}&wildcard=OFF&mx=&backmx=NO`, {}],
  // opnsense/plugins, dyndns2.py.
  ['OPNsense', `hostname=${home}&myip=${second}&wildcard=NOCHG`, { method: 'POST' }],
  // Synology ddnsd: the password is in the query.
  ['Synology', `hostname=${home}&myip=${second}&username=homeport&password=${password}`, { password: null }],
  // A client that sends names alone: the caller's address counts.
  ['curl', `hostname=${home}`, { from: second }],
] as const)('%s keeps a record', async (_, query, options) => {
  await stage.setRecords({ content: first }, { type: 'AAAA', content: ipv6 })
  const settings = { HOSTS: await hostLine(home, 'A,AAAA'), QUERY_PASSWORDS: 'true' }
  const { ping, entries } = await startEndpoint(stage, settings)
  const answer = await ping(query, options)
  expect(answer).toMatchObject({ status: 200, body: expect.stringMatching(`^good ${second}(,${ipv6})?\n$`) })
  expect((await ping(query, options)).body).toMatch(/^nochg /)
  expect((await stage.records()).map(({ content }) => content)).toEqual([second, ipv6])
  expect(JSON.stringify(entries)).not.toContain(password)
})
