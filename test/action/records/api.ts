import { startDeadline } from '../../../action/deadline.ts'
import type { Exchange } from '../../../action/exchange.ts'
import { openDnsApi } from '../../../action/records/dns-api.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

/** Opens the client of the DNS API in a round of one minute, in virtual time. */
export function openApi(exchange: Exchange) {
  const time = virtualClock()
  const access = { baseUrl: 'https://dns.example', token: 'token' }
  return { ...time, api: openDnsApi(access, exchange, startDeadline(60_000, time.clock), time.clock) }
}
