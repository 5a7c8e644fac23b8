import { canonicalHostname, maxLabelCharacters } from '../../lib/hostname.ts'
import type { Target } from '../records/record.ts'
import { quote } from '../text/quote.ts'
import type { Reader } from './reader.ts'

const maxHostnames = 1000

/** Reads `hostname` and `zone-id`: the names to update, each with its zone if that is given. */
export function readTargets(read: Reader): readonly Target[] {
  const defaultZone = read.text('zone-id') || null
  if (defaultZone !== null) checkZoneId(read, 'zone-id', defaultZone)
  const lines = read.lines('hostname')
  if (lines.length === 0) {
    read.addProblem(
      'hostname',
      'is empty. Enter a fully qualified name, such as home.example.com, one per line.',
    )
  }
  if (lines.length > maxHostnames) {
    read.addProblem('hostname', `lists ${lines.length} names. The limit is ${maxHostnames}.`)
    return []
  }
  const targets = lines.flatMap(line => readTarget(read, line, defaultZone))
  const seen = new Set<string>()
  for (const { hostname } of targets) {
    if (seen.has(hostname)) read.addProblem('hostname', `lists ${hostname} twice. Remove one of the lines.`)
    seen.add(hostname)
  }
  return targets
}

/** Reads a line: a name, and its zone ID if it has one of its own. */
function readTarget(read: Reader, line: string, defaultZone: string | null): readonly Target[] {
  const [name = '', ownZone, ...rest] = line.split(/\s+/)
  const hostname = canonicalHostname(name)
  const long = name.split('.').find(label => label.length > maxLabelCharacters)
  if (long !== undefined) {
    read.addProblem(
      'hostname',
      `${quote(name)} has a label of ${long.length} characters. The limit is ${maxLabelCharacters}.`,
    )
  } else if (!hostname) {
    read.addProblem(
      'hostname',
      `${quote(name)} is not a fully qualified name. Write it like home.example.com, without https://, port or path.`,
    )
  }
  if (rest.length > 0) {
    read.addProblem(
      'hostname',
      `${quote(line)} has more than a name and a zone ID. Put each name on a line of its own.`,
    )
  } else if (ownZone !== undefined) {
    checkZoneId(read, `hostname ${quote(name)}: its zone ID`, ownZone)
  }
  return hostname ? [{ hostname, zoneId: (ownZone ?? defaultZone)?.toLowerCase() ?? null }] : []
}

/** Reports an ID that no zone has. `what` is the input it is in. */
export function checkZoneId(read: Reader, what: string, id: string): void {
  if (/^[0-9a-f]{32}$/i.test(id)) return
  const found = id.includes('.') ? ', which is a name' : ''
  read.addProblem(
    what,
    `is ${quote(id)}${found}. Use the 32 hex digits shown as "Zone ID" on the overview page of the zone.`,
  )
}
