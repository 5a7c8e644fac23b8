import type { SettingName } from '../push/settings.ts'

/** What the page says about each setting of the push endpoint, in Markdown. */
export const pushProse: Readonly<Record<SettingName, string>> = {
  API_TOKEN: 'a token from the template *Edit zone DNS*, for this zone only',
  ZONE_ID: '*Zone ID* on the overview page of the zone',
  HOSTS:
    'the names and the hashes of their passwords, one name a line: `home.example.com A,AAAA sha256:…`. `push add` prints the line. At most two hashes a name, no wildcard, no public suffix',
  TTL: 'seconds, from 60 to 86400 (from 30 on Enterprise plans), or `1` for automatic. It is set when the address changes',
  PROXIED: 'whether Cloudflare’s proxy is in front. Set when the address changes, as `TTL` is',
  EXPECTED_CIDR: 'ranges that the addresses must be in, separated by commas. Any other address is refused',
  IPV6_SUFFIX:
    'the last part of the IPv6 address of a host behind the router, such as `::1:2:3:4/64`. AAAA records get the prefix of the router’s address, or `ip6lanprefix`, and this part',
  CREATE: 'whether a ping creates a record that is missing. Without it, create the record once',
  HEARTBEAT_URL: 'a monitor, called with GET after a ping whose records are all right',
  NOTIFY_URL: 'where a message goes when an address changed: https, or http on loopback',
  NOTIFY_FORMAT: '`text`, as ntfy takes it, or `json`, as Slack and Discord take it',
  QUERY_PASSWORDS:
    'whether the parameter `password` is accepted. Only for clients without HTTP Basic, since logs can keep it: Cloudflare’s own has the query of each request, unless you deploy with `wrangler.toml` or Pulumi',
  PLAIN_HTTP: 'whether passwords are accepted over http, where everybody on the way can read them',
  BASE_URL: 'the root of the DNS API',
  TRUSTED_PROXIES:
    'addresses or ranges of the proxies in front, separated by commas, such as `127.0.0.1`. Their `X-Forwarded-For` and `X-Forwarded-Proto` are believed',
  HOST: 'the address to listen on. Let a proxy in front handle TLS',
  PORT: 'the port to listen on. The sign-in handler’s default is the same: on one machine, change one of them',
}
