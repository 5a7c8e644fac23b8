/**
 * Every input, with the value it has when it is left out or blank; empty where it has no default. `action.yml` declares
 * the same inputs and defaults, and a test compares them.
 */
export const inputs = {
  'api-token': '',
  'zone-id': '',
  hostname: '',
  address: '',
  'address-sources': '',
  quorum: '',
  'expected-cidr': '',
  'allow-reserved-address': 'false',
  'allow-hosted-runner': 'false',
  ttl: '120',
  proxied: 'false',
  'on-drift': 'warn',
  create: 'false',
  'dry-run': 'false',
  'base-url': 'https://api.cloudflare.com',
  timeout: '60s',
  'mask-address': 'auto',
} as const

export type InputName = keyof typeof inputs

/** Three echo services of three operators (ipify, Amazon, Cloudflare). Each answers over IPv4 with the bare address. */
export const defaultEchoUrls = [
  'https://api4.ipify.org',
  'https://checkip.amazonaws.com',
  'https://ipv4.icanhazip.com',
] as const
