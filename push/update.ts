import { checkAddress } from '../action/address/check.ts'
import type { RecordType } from '../action/record-type.ts'
import type { DnsApi } from '../action/records/dns-api.ts'
import type { RecordResult } from '../action/result.ts'
import { joinLines, type Line, lineFor } from './answers.ts'
import type { Host } from './hosts.ts'
import { type Kept, type KeptName, keepRecords } from './keep.ts'
import type { Addresses } from './protocol.ts'
import type { Reads } from './reads.ts'
import type { PushSettings } from './settings.ts'

/** What a host is answered with, and what happened to its records. */
export interface Result {
  readonly name: string
  readonly line: Line
  readonly records: readonly RecordResult[]
  /** How long the name is to wait because it was read too often; 0 if it was not. */
  readonly waitSeconds: number
}

/** What was read before a ping, and the number of the ping. */
export interface Known {
  readonly reads: Reads
  readonly arrival: number
}

/** How often a ping looks whether another one with the same addresses has ended, in milliseconds. */
const pollMs = 50

/** Returns a host as the action's rules take it. */
export function keptName({ zoneId, expectedCidrs }: PushSettings, { name, types }: Host): KeptName {
  return {
    target: { hostname: name, zoneId },
    addressRules: { expectedCidrs, allowReserved: false },
    addresses: types.map(type => ({ type })),
  }
}

/**
 * Keeps the records of a host. A type without an address is left alone, as long as another has one. Records that were just
 * seen to hold these addresses are not read again, and a name that was read too often is to wait.
 */
export async function updateHost(
  settings: PushSettings,
  host: Host,
  addresses: Addresses,
  api: DnsApi,
  known: Known,
): Promise<Result> {
  const { name, types } = host
  const kept = keptName(settings, host)
  const given: (readonly [RecordType, string])[] = []
  const lines: Line[] = []
  for (const type of types) {
    const address = addresses[type]
    if ('problem' in address) lines.push({ word: 'dnserr', text: address.problem })
    else if (address.value !== null) given.push([type, address.value])
  }
  if (given.length + lines.length === 0) lines.push({ word: 'dnserr', text: noAddress(types) })
  const [fit, unfit] = [true, false].map(isFit =>
    given.filter(([, address]) => (checkAddress(address, kept.addressRules) === null) === isFit),
  ) as [typeof given, typeof given]
  // An address that no record may hold costs no request.
  const refused = await keepRecords(kept, unfit, api)
  const { records, lines: others, waitSeconds = 0 } = await readOnce(kept, fit, api, known)
  const all = [...lines, ...refused.map(lineFor), ...others]
  return {
    name,
    line: joinLines(all),
    records: [...refused.map(({ result }) => result), ...records],
    waitSeconds,
  }
}

/** Keeps records, unless a ping before this one has just seen that they hold these addresses. */
async function readOnce(
  name: KeptName,
  given: readonly (readonly [RecordType, string])[],
  api: DnsApi,
  { reads, arrival }: Known,
): Promise<{ lines: readonly Line[]; records: readonly RecordResult[]; waitSeconds?: number }> {
  const { hostname } = name.target
  const seen = { lines: given.map(([, text]): Line => ({ word: 'nochg', text })), records: [] }
  if (reads.isFresh(hostname, given, arrival)) return seen
  const waitSeconds = reads.start(hostname, given)
  // Of many pings in one moment, some can only be answered from the reads of others. A request of a Worker cannot await those.
  while (waitSeconds > 0 && reads.isUnderWay(hostname, given)) await api.clock.sleep(pollMs)
  if (waitSeconds > 0 && reads.isFresh(hostname, given)) return seen
  if (waitSeconds > 0) return { lines: [{ word: '911' }], records: [], waitSeconds }
  let kept: readonly Kept[] = []
  try {
    kept = await keepRecords(name, given, api)
  } finally {
    reads.end(hostname, given, kept)
  }
  return { lines: kept.map(lineFor), records: kept.map(({ result }) => result) }
}

function noAddress(types: readonly RecordType[]): string {
  const [has, needs] = types.includes('A') ? ['IPv6', 'A'] : ['IPv4', 'AAAA']
  return `There is only an ${has} address, or none, for the ${needs} record. Send the address in myip.`
}
