import { checkAddress } from '../action/address/check.ts'
import { failedResult } from '../action/decide.ts'
import type { DnsApi } from '../action/records/dns-api.ts'
import type { RecordResult } from '../action/result.ts'
import { type Exchange, failure } from '../lib/exchange.ts'
import { joinLines, type Line, lineFor } from './answers.ts'
import type { Host } from './hosts.ts'
import { type Kept, keepRecords, type Wanted } from './keep.ts'
import type { Addresses } from './protocol.ts'
import type { Turn } from './reads.ts'
import type { PushSettings } from './settings.ts'

/** What a host is answered with, and what happened to its records. */
export interface Result {
  readonly name: string
  readonly line: Line
  readonly records: readonly RecordResult[]
  /** How long the name must wait because it was read too often; 0 if it was not. */
  readonly waitSeconds: number
}

/** What a ping asks for at a host: addresses that its records may hold, those refused, and lines for what is no address. */
export interface HostUpdate {
  readonly name: string
  readonly wanted: readonly Wanted[]
  readonly refused: readonly Kept[]
  readonly lines: readonly Line[]
}

/**
 * Returns what a ping asks for at a host. A type without an address is left alone, as long as another has one. An address that no
 * record may hold is refused here, without a request.
 */
export function planHostUpdate(settings: PushSettings, host: Host, addresses: Addresses): HostUpdate {
  const { expectedCidrs, zoneId } = settings
  const wanted: Wanted[] = []
  const refused: Kept[] = []
  const lines: Line[] = []
  for (const type of host.types) {
    const reading = addresses[type]
    const address = 'value' in reading ? reading.value : null
    const slot = { hostname: host.name, zoneId, type }
    const problem = address === null ? null : checkAddress(address, { expectedCidrs, allowReserved: false })
    if ('problem' in reading) lines.push({ word: 'dnserr', text: reading.problem })
    else if (problem) refused.push({ result: failedResult(slot, address, problem), unsettled: false })
    else if (address !== null) wanted.push({ slot, address })
  }
  if (wanted.length + refused.length + lines.length === 0)
    lines.push({ word: 'dnserr', text: noAddress(host) })
  return { name: host.name, wanted, refused, lines }
}

/**
 * Keeps the records of all hosts of a ping. Records that were seen often enough to hold these addresses are not read again, and
 * a name that was read too often must wait.
 */
export async function updateHosts(
  hosts: readonly HostUpdate[],
  turn: Turn,
  { exchange, ...api }: DnsApi,
): Promise<readonly Result[]> {
  const counted: Exchange = async request =>
    turn.count() ? exchange(request) : failure('aborted', 'the requests of five minutes are used up')
  const steps = hosts.map(({ name }) => turn.next(name))
  let kept: readonly Kept[] | null = null
  try {
    const wanted = hosts.flatMap((host, index) => (steps[index] === 'read' ? host.wanted : []))
    kept = await keepRecords(wanted, { exchange: counted, ...api }, turn.isOvertaken)
  } finally {
    turn.end(kept)
  }
  return hosts.map(({ name, wanted, refused, lines }, index): Result => {
    const step = steps[index]
    const own = [...refused, ...kept.filter(({ result }) => result.hostname === name)]
    const remembered = step === 'remembered' ? wanted : []
    const others = remembered.map(({ address }): Line => ({ word: 'nochg', text: address }))
    return {
      name,
      line: joinLines([...lines, ...own.map(lineFor), ...others]),
      records: own.map(({ result }) => result),
      waitSeconds: typeof step === 'number' ? step : 0,
    }
  })
}

function noAddress({ types, suffix }: Host): string {
  if (suffix && !types.includes('A'))
    return 'There is no prefix for the host part. Send ip6lanprefix, or an address of its network in myipv6.'
  const [has, needs] = types.includes('A') ? ['IPv6', 'A'] : ['IPv4', 'AAAA']
  return `There is only an ${has} address, or none, for the ${needs} record. Send the address in myip.`
}
