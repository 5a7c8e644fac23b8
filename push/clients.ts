/** What a router or a client needs to know to send its address. */
export interface Account {
  /** The endpoint without scheme and path, such as `homeport-push.example.workers.dev`. */
  readonly endpoint: string
  readonly hostnames: readonly string[]
  readonly password: string
}

/** How to set up one kind of client. */
export interface Client {
  readonly name: string
  /** What to enter or to copy, one line each. */
  readonly lines: (account: Account) => readonly string[]
}

/** Any user name will do, but some forms refuse an empty one. */
const user = 'homeport'
const path = '/nic/update'

/**
 * Ready lines for each client, below where its form or its file is described. Nothing decides on them: `push add` prints them. What
 * the clients make of the answers is in docs/router-reference.md.
 */
export const clients: readonly Client[] = [
  // FRITZ! knowledge base, "Setting up dynamic DNS"; asheiduk.de, "Fritz!Box DynDNS"
  {
    name: 'FRITZ!Box',
    lines: ({ endpoint, hostnames, password }) => [
      'Internet > Permit Access > DynDNS, provider "User-defined"',
      `Update URL   https://${endpoint}${path}?hostname=<domain>&myip=<ipaddr>&myipv6=<ip6addr>&ip6lanprefix=<ip6lanprefix>`,
      `Domain name  ${hostnames.join(',')}`,
      `User name    ${user}`,
      `Password     ${password}`,
    ],
  },
  // willswire/unifi-ddns, issues 13 and 92
  {
    name: 'UniFi gateway',
    lines: ({ endpoint, hostnames, password }) => [
      'Settings > Internet > Dynamic DNS, service "custom" (or "dyndns" where there is no "custom")',
      `Hostname     ${hostnames.join(',')}`,
      `Username     ${user}`,
      `Password     ${password}`,
      `Server       ${endpoint}${path}?hostname=%h&myip=%i`,
    ],
  },
  // willswire/unifi-ddns, issue 46; a path in the server would come before /nic/update (issue 74)
  {
    name: 'EdgeRouter, USG',
    lines: ({ endpoint, hostnames, password }) => [
      ...hostnames.map(
        name => `set service dns dynamic interface eth0 service custom-homeport host-name ${name}`,
      ),
      `set service dns dynamic interface eth0 service custom-homeport login ${user}`,
      `set service dns dynamic interface eth0 service custom-homeport password ${password}`,
      'set service dns dynamic interface eth0 service custom-homeport protocol dyndns2',
      `set service dns dynamic interface eth0 service custom-homeport server ${endpoint}`,
    ],
  },
  // Synology knowledge base, "DDNS"; willswire/unifi-ddns, issue 7
  {
    name: 'Synology DSM',
    lines: ({ endpoint, hostnames, password }) => [
      'Control Panel > External Access > DDNS > Customize Provider. It has the password in the query: set QUERY_PASSWORDS=true.',
      `Query URL    https://${endpoint}${path}?hostname=__HOSTNAME__&myip=__MYIP__&username=__USERNAME__&password=__PASSWORD__`,
      `Hostname     ${hostnames.join(',')}`,
      `Username     ${user}`,
      `Password     ${password}`,
    ],
  },
  // a guide of 2023, not tried
  {
    name: 'DrayTek Vigor',
    lines: ({ endpoint, hostnames, password }) => [
      'Applications > Dynamic DNS, provider "User-Defined", authentication "basic", over HTTPS',
      `Provider     ${endpoint}`,
      `Service API  ${path}?hostname=${hostnames.join(',')}&myip=###IP###`,
      `Login name   ${user}`,
      `Password     ${password}`,
    ],
  },
  // a script for No-IP of 2019 and MikroTik help, "Fetch"; not tried
  {
    name: 'MikroTik RouterOS 6 and 7',
    // In a script, \3F is a question mark, which RouterOS 6 takes for a request for help.
    lines: ({ endpoint, hostnames, password }) => [
      'System > Scripts, name "homeport", policy read, test, write. ether1 is the interface with the public address:',
      ':local address [/ip address get [find interface="ether1"] address]',
      ':set address [:pick $address 0 [:find $address "/"]]',
      `:local url ("https://${endpoint}${path}\\3Fhostname=${hostnames.join(',')}&myip=" . $address)`,
      `/tool fetch mode=https url=$url user="${user}" password="${password}" keep-result=no`,
      'System > Scheduler, interval 00:05:00, on event "homeport"',
      'Import the root certificate of the endpoint and add check-certificate=yes, or fetch trusts every server.',
    ],
  },
  // RMerl/asuswrt-merlin.ng, wiki, "Custom DDNS"; not tried
  {
    name: 'ASUS with Asuswrt-Merlin',
    lines: ({ endpoint, hostnames, password }) => [
      'Administration > System, "Enable JFFS custom scripts and configs". WAN > DDNS, server "Custom".',
      'Then put this into /jffs/scripts/ddns-start, and make it executable:',
      '#!/bin/sh',
      `curl --silent --user ${user}:${password} "https://${endpoint}${path}?hostname=${hostnames.join(',')}&myip=$1" | grep -Eq '^(good|nochg) '`,
      '/sbin/ddns_custom_updated $((! $?))',
    ],
  },
  // the form of Omada for a custom DDNS service, not tried
  {
    name: 'TP-Link Omada gateway',
    lines: ({ endpoint, hostnames, password }) => [
      'Services > Dynamic DNS > Custom DDNS, one entry for each name. Leave what is in square brackets as it is.',
      `Update URL   https://[USERNAME]:[PASSWORD]@${endpoint}${path}?hostname=[DOMAIN]&myip=[IP]`,
      `Username     ${user}`,
      `Password     ${password}`,
      ...hostnames.map(name => `Domain name  ${name}`),
    ],
  },
  // mirror/dd-wrt, services/ddns.c and DDNS.asp; not tried
  {
    name: 'DD-WRT',
    // Its inadyn, old and new, appends the name to the URL.
    lines: ({ endpoint, hostnames, password }) => [
      'Setup > DDNS, service "Custom", for one name. Old builds take 32 characters for the server, and no https (set PLAIN_HTTP=true).',
      `DYNDNS server  ${endpoint}`,
      `User name      ${user}`,
      `Password       ${password}`,
      ...hostnames.slice(0, 1).map(name => `Host name      ${name}`),
      `URL            ${path}?hostname=`,
      'Use SSL        yes',
    ],
  },
  // ZyWALL USG user's guide 4.70, "DDNS"; not tried
  {
    name: 'Zyxel USG, ATP',
    lines: ({ endpoint, hostnames, password }) => [
      'Configuration > Network > DDNS, one profile for each name, DDNS type "User custom", HTTPS enabled',
      `Username       ${user}`,
      `Password       ${password}`,
      ...hostnames.map(name => `Domain name    ${name}`),
      `DYNDNS server  ${endpoint}`,
      `URL            ${path}?`,
      'Additional DDNS options  --dyndns_system dyndns@dyndns.org',
    ],
  },
  // the form of a Speedport Smart 4 for another provider, not tried
  {
    name: 'Telekom Speedport',
    lines: ({ endpoint, hostnames, password }) => [
      'Internet > Dynamisches DNS, "Anderer Anbieter", for one name',
      ...hostnames.slice(0, 1).map(name => `Domainname           ${name}`),
      `Benutzername         ${user}`,
      `Passwort             ${password}`,
      `Updateserver-Adresse ${endpoint}`,
      'Protokoll, Port      HTTPS, 443',
    ],
  },
  // opnsense/plugins, dns/ddclient, dyndns2.py
  {
    name: 'OPNsense',
    lines: ({ endpoint, hostnames, password }) => [
      'Services > Dynamic DNS, backend "native", service "Custom", protocol "DynDns2"',
      `Server       ${endpoint}`,
      `Hostname(s)  ${hostnames.join(',')}`,
      `Username     ${user}`,
      `Password     ${password}`,
      'Force SSL    yes. Without it, the password crosses the network in clear text.',
    ],
  },
  // pfsense/pfsense, dyndns.class
  {
    name: 'pfSense',
    // The whole answer must match, so it can have one line only.
    lines: ({ endpoint, hostnames, password }) => [
      'Services > Dynamic DNS, type "Custom", one client for each update URL',
      ...hostnames.map(name => `Update URL   https://${endpoint}${path}?hostname=${name}&myip=%IP%`),
      'Result match good %IP%|nochg %IP%',
      `Username     ${user}`,
      `Password     ${password}`,
    ],
  },
  // openwrt/packages, ddns-scripts, dynamic_dns_updater.sh and dynamic_dns_functions.sh
  {
    name: 'OpenWrt',
    lines: ({ endpoint, hostnames, password }) => [
      "uci set ddns.homeport='service'",
      "uci set ddns.homeport.enabled='1'",
      `uci set ddns.homeport.lookup_host='${hostnames[0] ?? ''}'`,
      // No comma is allowed here.
      `uci set ddns.homeport.domain='${hostnames[0] ?? ''}'`,
      `uci set ddns.homeport.username='${user}'`,
      `uci set ddns.homeport.password='${password}'`,
      "uci set ddns.homeport.ip_source='network'",
      "uci set ddns.homeport.ip_network='wan'",
      // No cacert: uclient-fetch takes a file only, and all three transfer programs check the certificate without it.
      "uci set ddns.homeport.use_https='1'",
      `uci set ddns.homeport.update_url='http://[USERNAME]:[PASSWORD]@${endpoint}${path}?hostname=${hostnames.join(',')}&myip=[IP]'`,
      'uci commit ddns && /etc/init.d/ddns restart',
    ],
  },
  // ddclient 3.10.0 to 4.0.0, /etc/ddclient.conf
  {
    name: 'ddclient',
    // Without `use`, 3.11 and later send nothing, and 3.10 sends no address.
    lines: ({ endpoint, hostnames, password }) => [
      '# eth0 is the interface with the public address. Behind a router: use=web, web=ipify-ipv4',
      'use=if, if=eth0',
      'protocol=dyndns2',
      'ssl=yes',
      `server=${endpoint}`,
      `login=${user}`,
      `password='${password}'`,
      hostnames.join(','),
    ],
  },
  // inadyn.conf(5) of inadyn 2.10.0; %h and %i are the name and the address
  {
    name: 'inadyn',
    lines: ({ endpoint, hostnames, password }) => [
      'custom homeport {',
      `    username    = ${user}`,
      `    password    = ${password}`,
      `    ddns-server = ${endpoint}`,
      `    ddns-path   = "${path}?hostname=%h&myip=%i"`,
      `    hostname    = ${hostnames.length === 1 ? hostnames[0] : `{ ${hostnames.map(name => `"${name}"`).join(', ')} }`}`,
      '}',
    ],
  },
  // curl 7.88
  {
    name: 'curl',
    lines: ({ endpoint, hostnames, password }) => [
      `curl --user ${user}:${password} 'https://${endpoint}${path}?hostname=${hostnames.join(',')}'`,
    ],
  },
]
