import { home, ipv6, type Ping, password, second } from '../push/endpoint.ts'

/** How the request of a client differs from a plain one. */
export interface Shape extends Ping {
  readonly form?: string
  /** Whether it sends no password before it is challenged. */
  readonly challenged?: boolean
  /** Whether it speaks HTTP/1.0. */
  readonly isOld?: boolean
}

/** The requests of clients, each as the client sends it, with its source: the client, its query, and what else differs. */
export const shapes: readonly (readonly [client: string, query: string, options: Shape])[] = [
  // The maker's page on user-defined DynDNS; the URL is filled without escaping.
  ['FRITZ!OS', `hostname=${home}&myip=${second}&myipv6=${ipv6}&ip6lanprefix=2a00:1450:4001:ef00::/64`, {}],
  // A box without IPv6 leaves the placeholder, or nothing.
  ['FRITZ!OS without IPv6', `hostname=${home}&myip=${second}&myipv6=<ip6addr>&ip6lanprefix=`, {}],
  // willswire/unifi-ddns, issues 6 and 13: inadyn with %h and %i, sometimes with a double slash.
  ['UniFi', `hostname=${home}&myip=${second}`, { path: '//nic/update' }],
  // openwrt/packages, ddns-scripts, services: dyn.com.
  ['OpenWrt', `hostname=${home}&myip=${second}`, { path: '/v3/update' }],
  // pfsense, dyndns.class, type dyndns.
  ['pfSense', `system=dyndns&hostname=${home}&myip=${second}&wildcard=OFF&mx=&backmx=NO`, {}],
  // opnsense/plugins, dyndns2.py: a URL of one's own by POST without a body.
  ['OPNsense, own URL', `hostname=${home}&myip=${second}`, { method: 'POST' }],
  // ddclient 4, nic_dyndns2_update: both families in one parameter.
  ['ddclient 4', `hostname=${home}&myip=${second},${ipv6}`, {}],
  // Synology ddnsd: the password is in the query.
  ['Synology', `hostname=${home}&myip=${second}&username=homeport&password=${password}`, { password: null }],
  // A client that sends names alone: the caller's address counts.
  ['curl', `hostname=${home}`, { from: second }],
  // openwrt/packages, dynamic_dns_functions.sh (do_transfer): the password in the URL, which both send after a 401 only.
  ['OpenWrt with GNU Wget, uclient-fetch', `hostname=${home}&myip=${second}`, { challenged: true }],
  // forum.mikrotik.com, thread 73287: a request line and the agent of RouterOS 6 in the log of Apache.
  ['MikroTik RouterOS 6', `hostname=${home}&myip=${second}`, { agent: 'Mikrotik/6.x Fetch', isOld: true }],
  // eworm-de/routeros-scripts, global-functions.rsc: the agent of RouterOS 7.
  ['MikroTik RouterOS 7', `hostname=${home}&myip=${second}`, { agent: 'Mikrotik/7.10 Fetch' }],
  // RMerl/asuswrt-merlin.ng, wiki, "Custom DDNS": a script of one's own, here with curl.
  ['ASUS with Asuswrt-Merlin', `hostname=${home}&myip=${second}`, { agent: 'curl/8.10.1' }],
  // mirror/dd-wrt, services/ddns.c; troglobit/inadyn, plugins/generic.c: without %, the name is appended to the path, and no address.
  [
    'DD-WRT',
    `hostname=${home}`,
    { agent: 'NewMedia-NET GmbH Netgear R7800/v3.0 info@dd-wrt.com', isOld: true, from: second },
  ],
  // The options that Zyxel's guide names are those of inadyn 1: src/dyndns.h, DYNDNS_GET_MY_IP_HTTP_REQUEST_FORMAT.
  [
    'Zyxel USG',
    `system=dyndns&hostname=${home}&myip=${second}&wildcard=OFF&mx=${home}&backmx=NO&offline=NO`,
    { agent: 'inadyn/1.96.2 inarcis2002@hotpop.com', isOld: true },
  ],
  // nsupdate-info/nsupdate.info, issue 501: a Speedport Smart 4 sends the IPv6 address first.
  ['Speedport Smart 4', `hostname=${home}&myip=${ipv6},${second}`, {}],
  // jeessy2/ddns-go, callback.go: a request body makes it a form.
  ['ddns-go, POST', '', { method: 'POST', form: `hostname=${home}&myip=${second}` }],
]

/** An IPv6 address in the three forms that clients send, and as the endpoint answers it. */
export const otherIpv6 = '2a00:1450:4001:82b::2'
const encoded = encodeURIComponent(otherIpv6)
const expanded = '2a00:1450:4001:082b:0000:0000:0000:0002'

/** Requests with an IPv6 address alone, as clients sent them here. */
export const ipv6Shapes: typeof shapes = [
  // inadyn 2.11 to 2.13, section `custom` with `allow-ipv6`.
  ['inadyn', `hostname=${home}&myip=${encoded.toLowerCase()}`, {}],
  // opnsense/plugins, dyndns2.py: also the commas of several names are encoded.
  ['OPNsense', `hostname=${home}%2C${home}&myip=${encoded}&system=dyndns&wildcard=NOCHG`, {}],
  // openwrt/packages, dynamic_dns_functions.sh (expand_ipv6).
  ['OpenWrt', `hostname=${home}&myip=${expanded}`, {}],
]
