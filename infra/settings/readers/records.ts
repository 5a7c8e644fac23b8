import { canonicalHostname, maxHostnames } from '../../../lib/hostname.ts'
import type { FullReading, Reading } from '../../../lib/reading.ts'
import { hexId, refuse } from '../../../lib/settings/readers.ts'
import type { Earlier } from './earlier.ts'
import { lines, someOf } from './lists.ts'

/** Parses a fully qualified name, spelled as Cloudflare returns it, so that it never shows as a change. */
export function parseHostname(text: string): Reading<string> {
  return canonicalHostname(text) === text && !text.startsWith('*')
    ? { value: text }
    : {
        problem:
          'is not a full hostname in lower-case ASCII without a final dot. Use one such as home.example.com',
      }
}

/** Reads one or several hostnames, separated by commas, blanks or lines. */
export const readHostnames = someOf(parseHostname, {
  max: maxHostnames,
  advice: 'Make the others CNAMEs to one of them, or use a second stack.',
  keyOf: String,
})

/** Names a record for people: `home.example.com A`. */
export const titleOf = ({ name, type }: { readonly name: string; readonly type: string }): string =>
  `${name} ${type}`

/** Returns the titles of the records that a configuration declares: by hostname, then by type. */
export function recordTitles({
  hostname = [],
  recordType = [],
}: Pick<Earlier, 'hostname' | 'recordType'>): readonly string[] {
  return hostname.flatMap(name => recordType.map(type => titleOf({ name, type })))
}

const readRecordId = hexId('the list of records')

/**
 * Reads which records to adopt: the ID of the only one, or a line `NAME TYPE ID` for each.
 * @returns IDs by title
 */
export function readImports(text: string, earlier: Earlier): FullReading<ReadonlyMap<string, string>> {
  const titles = recordTitles(earlier)
  const [only = '', ...others] = titles
  if (!/\s/.test(text)) {
    const reading = readRecordId(text)
    if ('problems' in reading) return reading
    return others.length === 0
      ? { value: new Map([[only, reading.value]]) }
      : refuse(
          `does not say which of ${titles.length} records it is. Use a line for each, such as ${only} ${reading.value}.`,
        )
  }
  const parse = (line: string) => parseImport(line, titles)
  const reading = someOf(parse, { separator: lines, keyOf: ([title]) => title })(text)
  if ('problems' in reading) return reading
  const ids = new Map(reading.value)
  return new Set(ids.values()).size === ids.size
    ? { value: ids }
    : refuse('has one ID for two records. Copy each ID from the list of records.')
}

/** @param titles the declared records; empty if they were refused */
function parseImport(line: string, titles: readonly string[]): Reading<readonly [title: string, id: string]> {
  const [name = '', type = '', id = '', ...rest] = line.trim().split(/\s+/)
  const reading = readRecordId(id)
  if (rest.length > 0 || 'problems' in reading)
    return { problem: 'is not NAME TYPE ID. Copy the ID from the list of records' }
  const title = titleOf({ name, type })
  return titles.length > 0 && !titles.includes(title)
    ? { problem: `is none of the records that the stack declares: ${titles.join(', ')}. Fix or remove it` }
    : { value: [title, reading.value] }
}
