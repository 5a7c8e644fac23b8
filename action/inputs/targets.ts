import { canonicalHostname, maxLabelCharacters } from '../hostname.ts'
import type { Target } from '../records/record.ts'
import { quote } from '../text/quote.ts'
import type { Reader } from './reader.ts'

const maxHostnames = 1000

/** Reads `zone`, canonical; null without one. */
export function readZone(read: Reader): string | null {
  const text = read.text('zone')
  if (text === '') return null
  if (read.text('zone-id') !== '')
    read.addProblem('zone', 'cannot be combined with zone-id. Set one of them.')
  const name = canonicalHostname(text)
  if (!name || name.startsWith('*.')) {
    read.addProblem(
      'zone',
      `is ${quote(text)}. Use the name of the zone, such as example.com, or set zone-id instead.`,
    )
  }
  return name
}

/** Reads `hostname` and `zone-id`: the names to update, each with its zone. Those without an ID are in `zone`. */
export function readTargets(read: Reader, zone: string | null): readonly Target[] {
  const defaultZone = read.text('zone-id') || null
  if (defaultZone !== null) checkZoneId(read, 'zone-id', defaultZone)
  const isNamed = read.text('zone') !== ''
  const lines = read.lines('hostname')
  if (lines.length === 0) {
    read.addProblem(
      'hostname',
      'is empty. Enter a fully qualified name, such as home.example.com, one per line.',
    )
    if (defaultZone === null && !isNamed)
      read.addProblem('zone-id', 'is empty. Copy the zone ID from the overview page of the zone.')
  }
  if (lines.length > maxHostnames) {
    read.addProblem('hostname', `lists ${lines.length} names. The limit is ${maxHostnames}.`)
    return []
  }
  const targets = lines.flatMap(line => readTarget(read, line, isNamed ? null : defaultZone, isNamed))
  const seen = new Set<string>()
  for (const { hostname } of targets) {
    if (seen.has(hostname)) read.addProblem('hostname', `lists ${hostname} twice. Remove one of the lines.`)
    seen.add(hostname)
  }
  for (const { hostname, zoneId } of targets) {
    if (zone === null || zoneId !== null || hostname === zone || hostname.endsWith(`.${zone}`)) continue
    read.addProblem(
      'hostname',
      `lists ${hostname}, which does not belong to zone ${zone}. Check the spelling of both. If they are right, add a space and ` +
        'the ID of its own zone after the name.',
    )
  }
  return targets
}

/** Reads a line. It needs a zone ID unless there is a default, or the zone is named. */
function readTarget(
  read: Reader,
  line: string,
  defaultZone: string | null,
  isNamed: boolean,
): readonly Target[] {
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
  } else if (defaultZone === null && !isNamed) {
    read.addProblem(
      'zone-id',
      `is empty, and hostname ${quote(name)} has no zone ID of its own. Set zone-id or zone, or add a space and the zone ID after the name.`,
    )
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
