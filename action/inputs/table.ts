import { cloudflareUrl } from '../records/shadow.ts'

/**
 * Every input, with the value it has when it is left out or blank; empty where it has no default. `action.yml` declares
 * the same inputs and defaults, and a test compares them.
 */
export const inputDefaults = {
  'api-token': '',
  'zone-id': '',
  hostname: '',
  address: '',
  'address-sources': '',
  'doh-resolvers': '',
  'expected-cidr': '',
  'allow-reserved-address': 'false',
  'record-type': 'A',
  'ipv6-suffix': '',
  ttl: '120',
  proxied: 'false',
  'on-drift': 'warn',
  create: 'false',
  'dry-run': 'false',
  'base-url': cloudflareUrl,
  verify: 'response',
  'name-servers': '',
  timeout: '60s',
  'watch-interval': '',
  'watch-for': '',
  'heartbeat-url': '',
  'notify-url': '',
  'notify-format': 'text',
  'mask-address': 'auto',
} as const

export type InputName = keyof typeof inputDefaults

/** Inputs that are masked, and that have no flag: a command line is visible to every user of the host. */
export const secretInputs: readonly InputName[] = ['api-token', 'heartbeat-url', 'notify-url']

export const inputNames = Object.keys(inputDefaults) as readonly InputName[]

/**
 * Echo services of three operators for each family, which return the bare address: ipify, Amazon (IPv4) or deSEC (IPv6),
 * and Cloudflare.
 */
export const defaultEchoUrls = {
  A: ['https://api4.ipify.org', 'https://checkip.amazonaws.com', 'https://ipv4.icanhazip.com'],
  AAAA: ['https://api6.ipify.org', 'https://checkipv6.dedyn.io', 'https://ipv6.icanhazip.com'],
} as const

/** DNS resolvers over HTTPS of two operators (Cloudflare, Google) that answer with JSON. */
export const defaultDohResolvers = [
  'https://cloudflare-dns.com/dns-query',
  'https://dns.google/resolve',
] as const
