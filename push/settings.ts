import { families } from '../action/address/family.ts'
import { misspelled } from '../action/inputs/names.ts'
import { type Reader, redactTokenShapes } from '../action/inputs/reader.ts'
import type { RecordType } from '../action/record-type.ts'
import { type PushSettings, rows } from './settings-table.ts'

export type { PushSettings } from './settings-table.ts'

/** Environment variables of a process, or bindings of a Worker, where JSON can be `true` or a number in place of a text. */
export type Variables = Readonly<Record<string, unknown>>

/** Reads every setting. Returns all of them, or every problem at once, in sentences that repeat no secret. */
export function readSettings(
  variables: Variables,
): { readonly value: PushSettings } | { readonly problems: readonly string[] } {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, { read, field, fix, default: standard = '' }] of rows) {
    if (!read || !field) continue
    const text = textIn(variables, name) || standard
    if (text === '' && fix !== undefined) problems.push(`${name} is missing. ${fix}`)
    else values[field] = read(readerOf(name, text, problems))
  }
  // A row with a problem leaves an empty list. Without hosts, there is nothing to compare.
  const { hosts = [], ...others } = values as unknown as Partial<PushSettings>
  if (hosts.length > 0) problems.push(...combinationProblems({ ...others, hosts } as PushSettings))
  problems.push(...misspelledNames(variables))
  return problems.length > 0 ? { problems } : { value: values as unknown as PushSettings }
}

/** Returns the reader of one setting, whose problems start with its name in place of an input's. */
function readerOf(name: string, text: string, problems: string[]): Reader {
  return {
    text: () => text,
    lines: () => text.split(/[\s,]+/).filter(Boolean),
    addProblem: (_, message) => void problems.push(redactTokenShapes(`${name} ${message}`)),
  }
}

/** Names of settings that are never printed. On Node each can be in a file, which NAME_FILE names. */
export const secretNames: readonly string[] = rows.flatMap(([name, { secret }]) => (secret ? [name] : []))

/** Returns the text of a setting without blanks around it; blank if it is missing, or another kind of binding. */
function textIn(variables: Variables, name: string): string {
  const given = variables[name] ?? ''
  return typeof given === 'object' ? '' : String(given).trim()
}

/** Returns what each setting alone does not show: addresses that no record could ever hold, and a suffix without use. */
function combinationProblems({ hosts, expectedCidrs, ipv6Suffix }: PushSettings): readonly string[] {
  const has = (type: RecordType) => hosts.some(({ types }) => types.includes(type))
  const unfit = (['A', 'AAAA'] as const).filter(type => {
    const { version } = families[type]
    return has(type) && expectedCidrs.length > 0 && !expectedCidrs.some(({ family }) => family === version)
  })
  return [
    ...unfit.map(type => {
      const family = `IPv${families[type].version}`
      return `EXPECTED_CIDR has no ${family} range, but HOSTS has type ${type}. Add one.`
    }),
    ...(ipv6Suffix && !has('AAAA') ? ['IPV6_SUFFIX needs a host of type AAAA.'] : []),
  ]
}

/** Shorter names are too close to those of other programs. */
const minMisspelledCharacters = 7

/** Returns a problem for each name that is almost one of ours while ours is missing: it would silently do nothing. */
function misspelledNames(variables: Variables): readonly string[] {
  const ours = [...rows.map(([name]) => name), ...secretNames.map(name => `${name}_FILE`)]
  const plain = ours.map(name => name.toLowerCase().replaceAll('_', '-'))
  return Object.keys(variables)
    .filter(name => name.length >= minMisspelledCharacters && !ours.includes(name))
    .flatMap(name => {
      const meant = misspelled(name, plain)?.toUpperCase().replaceAll('-', '_') ?? null
      if (meant === null || textIn(variables, meant) !== '') return []
      return [`${name} is not a setting, and ${meant} is not set. Use ${meant}.`]
    })
}
