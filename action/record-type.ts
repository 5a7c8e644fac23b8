import { parseIpv4, parseIpv6 } from '../lib/ip-address.ts'

/** What differs between the addresses of an A and of an AAAA record. `parse` returns a whole text as one address, or null. */
export const families = {
  A: { version: 4, example: '198.51.100.7', parse: parseIpv4 },
  AAAA: { version: 6, example: '2001:db8::7', parse: parseIpv6 },
} as const
