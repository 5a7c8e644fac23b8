import { checkAddress } from '../action/address/check.ts'
import type { DnsApi } from '../action/records/dns-api.ts'
import type { RecordResult } from '../action/result.ts'
import { type Exchange, failure } from '../lib/exchange.ts'
import type { RecordType } from '../lib/record-type.ts'
import { joinLines, type Line, lineFor } from './answers.ts'
import type { Host } from './hosts.ts'
import { type Kept, type KeptName, keepRecords } from './keep.ts'
import type { Addresses } from './protocol.ts'
import type { Given, Turn } from './reads.ts'
import type { PushSettings } from './settings.ts'

/** What a host is answered with, and what happened to its records. */
export interface Result {
  readonly name: string
  readonly line: Line
  readonly records: readonly RecordResult[]
  /** How long the name is to wait because it was read too often; 0 if it was not. */
  readonly waitSeconds: number
}

/** What a ping gives for a host: addresses that its records may hold, others, and lines about what cannot be read. */
export interface Asked {
  readonly name: KeptName
  readonly fit: Given
  readonly unfit: Given
  readonly lines: readonly Line[]
}

/** Returns a host as the action's rules take it. */
export function keptName({ zoneId, expectedCidrs }: PushSettings, { name, types }: Host): KeptName {
  return {
    target: { hostname: name, zoneId },
    addressRules: { expectedCidrs, allowReserved: false },
    addresses: types.map(type => ({ type })),
  }
}

/** Reads what a ping gives for a host. A type without an address is left alone, as long as another has one. */
export function readAsked(settings: PushSettings, host: Host, addresses: Addresses): Asked {
  const name = keptName(settings, host)
  const given: (readonly [RecordType, string])[] = []
  const lines: Line[] = []
  for (const type of host.types) {
    const address = addresses[type]
    if ('problem' in address) lines.push({ word: 'dnserr', text: address.problem })
    else if (address.value !== null) given.push([type, address.value])
  }
  if (given.length + lines.length === 0) lines.push({ word: 'dnserr', text: noAddress(host.types) })
  const isFit = (address: string) => checkAddress(address, name.addressRules) === null
  const [fit, unfit] = [given.filter(([, text]) => isFit(text)), given.filter(([, text]) => !isFit(text))]
  return { name, fit, unfit, lines }
}

/**
 * Keeps the records of a host. Records that were seen often enough to hold these addresses are not read again, and a name
 * that was read too often is to wait.
 */
export async function updateHost(
  { name, fit, unfit, lines }: Asked,
  turn: Turn,
  { exchange, ...api }: DnsApi,
): Promise<Result> {
  let kept: readonly Kept[] | null = []
  try {
    // An address that no record may hold costs no request.
    const refused = await keepRecords(name, unfit, { exchange, ...api })
    const step = turn.next()
    if (step === 'read') {
      kept = null
      const counted: Exchange = async request =>
        turn.count() ? exchange(request) : failure('aborted', 'the requests of five minutes are used up')
      kept = await keepRecords(name, fit, { exchange: counted, ...api }, turn.isOvertaken)
    }
    const others: readonly Line[] =
      step === 'read'
        ? (kept ?? []).map(lineFor)
        : step === 'remembered'
          ? fit.map(([, text]) => ({ word: 'nochg', text }))
          : [{ word: '911' }]
    return {
      name: name.target.hostname,
      line: joinLines([...lines, ...refused.map(lineFor), ...others]),
      records: [...refused, ...(kept ?? [])].map(({ result }) => result),
      waitSeconds: typeof step === 'number' ? step : 0,
    }
  } finally {
    turn.end(kept)
  }
}

function noAddress(types: readonly RecordType[]): string {
  const [has, needs] = types.includes('A') ? ['IPv6', 'A'] : ['IPv4', 'AAAA']
  return `There is only an ${has} address, or none, for the ${needs} record. Send the address in myip.`
}
