/** What a router or a client needs to know to send its address. */
export interface Account {
  /** The endpoint without scheme and path, such as `homeport-push.example.workers.dev`. */
  readonly endpoint: string
  readonly hostnames: readonly string[]
  /** Those that a ping with an IPv4 address only can keep; all if it is left out. */
  readonly ipv4?: readonly string[]
  /** Those with a host part, for which a client sends an address of their network. */
  readonly behind?: readonly string[]
  readonly password: string
}

/** How to set up one kind of client. */
export interface Client {
  readonly name: string
  /** What to enter or to copy, one line each. */
  readonly lines: (account: Account) => readonly string[]
}

const openWrt = (section: string, source: string) =>
  `uci set ddns.homeport='service'
uci set ddns.homeport.enabled='1'
uci set ddns.homeport.lookup_host='{name}'
uci set ddns.homeport.domain='{name}'
uci set ddns.homeport.username='homeport'
uci set ddns.homeport.password='{password}'
uci set ddns.homeport.ip_source='network'
${source}
uci set ddns.homeport.use_https='1'
uci set ddns.homeport.update_url='http://[USERNAME]:[PASSWORD]@{endpoint}/nic/update?hostname={names}&myip=[IP]'
uci commit ddns && /etc/init.d/ddns restart`.replaceAll('ddns.homeport', `ddns.${section}`)

const openSense = (
  more: string,
) => `Services > Dynamic DNS, backend "native", service "Custom", protocol "DynDns2"${more}
Server       {endpoint}
Hostname(s)  {names}
Username     homeport
Password     {password}
Force SSL    yes. Without it, the password crosses the network in clear text.`

/**
 * What to enter for each client, below where its form or its file is described, and what for names with a host part if that differs. A
 * line with {each} is for each name. Any user name will do, but some forms refuse an empty one. What each client sends is in
 * test/proxies/shapes.ts.
 */
const texts: readonly (readonly [name: string, text: string, behind?: string])[] = [
  // FRITZ! knowledge base, "Setting up dynamic DNS"; asheiduk.de, "Fritz!Box DynDNS"
  [
    'FRITZ!Box',
    `Internet > Permit Access > DynDNS, provider "User-defined"
Update URL   https://{endpoint}/nic/update?hostname=<domain>&myip=<ipaddr>&myipv6=<ip6addr>&ip6lanprefix=<ip6lanprefix>
Domain name  {all}
User name    homeport
Password     {password}`,
  ],
  // willswire/unifi-ddns, issues 13 and 92
  [
    'UniFi gateway',
    `Settings > Internet > WAN > Dynamic DNS, service "custom" (or "dyndns" where there is no "custom")
Hostname     {names}
Username     homeport
Password     {password}
Server       {endpoint}/nic/update?hostname=%h&myip=%i`,
  ],
  // willswire/unifi-ddns, issue 46; a path in the server would come before /nic/update (issue 74)
  [
    'EdgeRouter, USG',
    `set service dns dynamic interface eth0 service custom-homeport host-name {each}
set service dns dynamic interface eth0 service custom-homeport login homeport
set service dns dynamic interface eth0 service custom-homeport password {password}
set service dns dynamic interface eth0 service custom-homeport protocol dyndns2
set service dns dynamic interface eth0 service custom-homeport server {endpoint}`,
  ],
  // Synology knowledge base, "DDNS"; willswire/unifi-ddns, issue 7
  [
    'Synology DSM',
    `Control Panel > External Access > DDNS > Customize Provider. It has the password in the query: set QUERY_PASSWORDS=true.
Query URL    https://{endpoint}/nic/update?hostname=__HOSTNAME__&myip=__MYIP__&username=__USERNAME__&password=__PASSWORD__
Hostname     {names}
Username     homeport
Password     {password}`,
  ],
  // a guide of 2023, not tried
  [
    'DrayTek Vigor',
    `Applications > Dynamic DNS, provider "User-Defined", authentication "basic", over HTTPS
Provider     {endpoint}
Service API  /nic/update?hostname={names}&myip=###IP###
Login name   homeport
Password     {password}`,
  ],
  // a script for No-IP of 2019 and MikroTik help, "Fetch"
  [
    'MikroTik RouterOS 6 and 7',
    // In a script, \3F is a question mark, which RouterOS 6 takes for a request for help.
    `System > Scripts, name "homeport", policy read, test, write. ether1 is the interface with the public address:
:local address [/ip address get [find interface="ether1"] address]
:set address [:pick $address 0 [:find $address "/"]]
:local url ("https://{endpoint}/nic/update\\3Fhostname={names}&myip=" . $address)
/tool fetch mode=https url=$url user="homeport" password="{password}" keep-result=no
System > Scheduler, interval 00:05:00, on event "homeport"
Import the root certificate of the endpoint and add check-certificate=yes, or fetch trusts every server.`,
  ],
  // RMerl/asuswrt-merlin.ng, wiki, "Custom DDNS"
  [
    'ASUS with Asuswrt-Merlin',
    `Administration > System, "Enable JFFS custom scripts and configs". WAN > DDNS, server "Custom".
Then put this into /jffs/scripts/ddns-start, and make it executable:
#!/bin/sh
curl --silent --user homeport:{password} "https://{endpoint}/nic/update?hostname={names}&myip=$1" | grep -Eq '^(good|nochg) '
/sbin/ddns_custom_updated $((! $?))`,
  ],
  // the form of Omada for a custom DDNS service; its requests are in no public source, so they are not tried
  [
    'TP-Link Omada gateway',
    `Services > Dynamic DNS > Custom DDNS, one entry for each name. Leave what is in square brackets as it is.
Update URL   https://[USERNAME]:[PASSWORD]@{endpoint}/nic/update?hostname=[DOMAIN]&myip=[IP]
Username     homeport
Password     {password}
Domain name  {each}`,
  ],
  // mirror/dd-wrt, services/ddns.c and DDNS.asp
  [
    'DD-WRT',
    // Its inadyn, old and new, appends the name to the URL.
    `Setup > DDNS, service "Custom", for one name. Old builds take 32 characters for the server, and no https (set PLAIN_HTTP=true).
DYNDNS server  {endpoint}
User name      homeport
Password       {password}
Host name      {name}
URL            /nic/update?hostname=
Use SSL        yes`,
  ],
  // ZyWALL USG user's guide 4.70, "DDNS"
  [
    'Zyxel USG, ATP',
    `Configuration > Network > DDNS, one profile for each name, DDNS type "User custom", HTTPS enabled
Username       homeport
Password       {password}
Domain name    {each}
DYNDNS server  {endpoint}
URL            /nic/update?
Additional DDNS options  --dyndns_system dyndns@dyndns.org`,
  ],
  // nsupdate-info/nsupdate.info, issue 501: the form of a Speedport Smart 4, and the order of its addresses
  [
    'Telekom Speedport',
    `Internet > Dynamisches DNS, "Anderer Anbieter", for one name
Domainname           {name}
Benutzername         homeport
Passwort             {password}
Updateserver-Adresse {endpoint}
Protokoll, Port      HTTPS, 443`,
  ],
  // opnsense/plugins, dns/ddclient, dyndns2.py
  ['OPNsense', openSense(''), openSense(', check method "Interface [IPv6]" of LAN')],
  // pfsense/pfsense, dyndns.class: the whole answer must match, so it can have one line only
  [
    'pfSense',
    `Services > Dynamic DNS, type "Custom", one client for each update URL
Update URL   https://{endpoint}/nic/update?hostname={each}&myip=%IP%
Result match good %IP%|nochg %IP%
Username     homeport
Password     {password}`,
    `Services > Dynamic DNS, type "Custom (v6)", interface LAN
Update URL   https://{endpoint}/nic/update?hostname={names}&myip=%IP%
Result match leave it empty
Username     homeport
Password     {password}`,
  ],
  // openwrt/packages, ddns-scripts, dynamic_dns_updater.sh and dynamic_dns_functions.sh
  [
    'OpenWrt',
    // `domain` takes no comma. No cacert: uclient-fetch takes a file only, and all three transfer programs check without it.
    openWrt('homeport', "uci set ddns.homeport.ip_network='wan'"),
    openWrt('homeport6', "uci set ddns.homeport.ip_network='lan'\nuci set ddns.homeport.use_ipv6='1'"),
  ],
  // ddclient 3.10.0 to 4.0.0, /etc/ddclient.conf. Without `use`, 3.11 and later send nothing, and 3.10 sends no address
  [
    'ddclient',
    `# eth0 is the interface with the public address. Behind a router: use=web, web=ipify-ipv4
use=if, if=eth0
protocol=dyndns2
ssl=yes
server={endpoint}
login=homeport
password='{password}'
{names}`,
  ],
  // inadyn.conf(5) of inadyn 2.10.0; %h and %i are the name and the address
  [
    'inadyn',
    `custom homeport {
    username    = homeport
    password    = {password}
    ddns-server = {endpoint}
    ddns-path   = "/nic/update?hostname=%h&myip=%i"
    hostname    = {list}
}`,
  ],
  // curl 7.88
  ['curl', "curl --user homeport:{password} 'https://{endpoint}/nic/update?hostname={names}'"],
]

/**
 * Ready lines for each client. Nothing decides on them: `push add` prints them, and the page is written from them. What the
 * clients make of the answers is in docs/router-reference.md.
 */
export const clients: readonly Client[] = texts.map(([name, text, behindText = '']) => ({
  name,
  lines: account => {
    const { hostnames, ipv4 = hostnames, behind = [] } = account
    const first = text.includes('{all}') ? hostnames : ipv4
    return [...fill(text, first, account), ...(behindText && fill(behindText, behind, account))]
  },
}))

/** Returns the lines of a text for these names; none without a name. */
function fill(text: string, names: readonly string[], account: Account): readonly string[] {
  return names.length > 0 ? text.split('\n').flatMap(line => fillLine(line, names, account)) : []
}

function fillLine(
  line: string,
  hostnames: readonly string[],
  { endpoint, password }: Account,
): readonly string[] {
  const [name = ''] = hostnames
  const quoted = hostnames.map(each => `"${each}"`).join(', ')
  const list = hostnames.length === 1 ? name : `{ ${quoted} }`
  const names = hostnames.join()
  const fields: Readonly<Record<string, string>> = { endpoint, password, name, names, all: names, list }
  const filled = line.replace(/\{(\w+)\}/g, (whole, field: string) => fields[field] ?? whole)
  return filled.includes('{each}') ? hostnames.map(each => filled.replace('{each}', each)) : [filled]
}
