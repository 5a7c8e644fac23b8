import { startDeadline } from '../../../action/deadline.ts'
import { openDnsApi } from '../../../action/records/dns-api.ts'
import type { DnsRecord } from '../../../action/records/record.ts'
import type { Exchange } from '../../../lib/exchange.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

/** Opens the client of the DNS API in a round of one minute, in virtual time. */
export function openApi(exchange: Exchange) {
  const time = virtualClock()
  const access = { baseUrl: 'https://dns.example', token: 'token' }
  return { ...time, api: openDnsApi(access, exchange, startDeadline(60_000, time.clock), time.clock) }
}

/** The record that tests keep. */
export const slot = { hostname: 'home.example.com', type: 'A', zoneId: 'f'.repeat(32) } as const

/** The five fields of a record, as a write sends them. */
export const fields = {
  type: 'A',
  name: 'home.example.com',
  content: '203.0.113.7',
  ttl: 120,
  proxied: false,
} as const

/** A record as a response shows it. */
export const shownRecord = { ...fields, id: 'a'.repeat(32) }

/** The same record as the client reads it. */
export const readRecord: DnsRecord = {
  ...shownRecord,
  comment: null,
  tags: [],
  settings: {},
  privateRouting: null,
  readOnly: false,
  hiddenBy: [],
}
