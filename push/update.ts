import { type KeptName, keepRecords } from '../action/keep.ts'
import type { RecordType } from '../action/record-type.ts'
import type { DnsApi } from '../action/records/dns-api.ts'
import type { RecordResult } from '../action/result.ts'
import { joinLines, type Line, lineFor } from './answers.ts'
import type { Host } from './hosts.ts'
import type { Addresses } from './protocol.ts'
import type { PushSettings } from './settings.ts'

/** What a host is answered with, and what happened to its records. */
export interface Result {
  readonly name: string
  readonly line: Line
  readonly records: readonly RecordResult[]
}

/** Returns a host as the action's rules take it. */
export function keptName(
  { zoneId, expectedCidrs, ttl, proxied, create }: PushSettings,
  { name, types }: Host,
): KeptName {
  return {
    target: { hostname: name, zoneId },
    addressRules: { expectedCidrs, allowReserved: false },
    record: { ttl, proxied, create, onDrift: 'warn' },
    addresses: types.map(type => ({ type })),
  }
}

/** Keeps the records of a host. A type without an address is left alone, as long as another has one. */
export async function updateHost(
  settings: PushSettings,
  host: Host,
  addresses: Addresses,
  api: DnsApi,
): Promise<Result> {
  const { name, types } = host
  const given: (readonly [RecordType, string])[] = []
  const lines: Line[] = []
  for (const type of types) {
    const address = addresses[type]
    if ('problem' in address) lines.push({ word: 'dnserr', text: address.problem })
    else if (address.value !== null) given.push([type, address.value])
  }
  const kept = await keepRecords(keptName(settings, host), given, api)
  lines.push(...kept.map(lineFor))
  if (lines.length === 0) lines.push({ word: 'dnserr', text: noAddress(types) })
  return { name, line: joinLines(lines), records: kept.map(({ result }) => result) }
}

function noAddress(types: readonly RecordType[]): string {
  const [has, needs] = types.includes('A') ? ['IPv6', 'A'] : ['IPv4', 'AAAA']
  return `There is only an ${has} address, or none, for the ${needs} record. Send the address in myip.`
}
