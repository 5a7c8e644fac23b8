import { families } from '../action/address/family.ts'
import { misspelled } from '../action/inputs/names.ts'
import { type Reader, redactTokenShapes } from '../action/inputs/reader.ts'
import { type PushSettings, rows } from './settings-table.ts'

export type { PushSettings } from './settings-table.ts'

/** Every setting, or every problem at once, in sentences that repeat no secret. */
export type SettingsReading = { readonly value: PushSettings } | { readonly problems: readonly string[] }

/**
 * Reads every setting.
 * @param variables environment variables of a process, or bindings of a Worker, where JSON can be `true` or a number
 */
export function readSettings(variables: Readonly<Record<string, unknown>>): SettingsReading {
  const problems: string[] = []
  const readerOf = (name: string, text: string): Reader => ({
    text: () => text,
    lines: () => text.split(/[\s,]+/).filter(Boolean),
    addProblem: (_, message) => void problems.push(redactTokenShapes(`${name} ${message}`)),
  })
  const textOf = (name: string) => {
    const given = variables[name] ?? ''
    return typeof given === 'string' ? given.trim() : String(JSON.stringify(given))
  }
  const values = rows.map(([name, { field, read, fix, default: standard = '' }]) => {
    const text = textOf(name) || standard
    if (text === '' && fix) problems.push(`${name} is missing. ${fix}`)
    return [field, text === '' && fix ? null : read(readerOf(name, text))]
  })
  const settings = Object.fromEntries(values) as PushSettings
  problems.push(...combinationProblems(settings))
  const ours = [...rows.map(([name]) => name), ...secretNames.map(name => `${name}_FILE`)]
  for (const name of Object.keys(variables)) {
    const isLong = name.length >= minMisspelledCharacters && !ours.includes(name)
    const nearest = isLong ? misspelled(comparable(name), ours.map(comparable)) : null
    const meant = ours.find(one => comparable(one) === nearest)
    if (meant !== undefined && textOf(meant) === '')
      problems.push(`${name} is not a setting, and ${meant} is not set. Use ${meant}.`)
  }
  return problems.length > 0 ? { problems } : { value: settings }
}

/** Returns a name as it is compared. Plurals count one letter, and QUERY_PASSWORDS is not left alone as secrets are. */
function comparable(name: string): string {
  return name.toUpperCase().replace(/IES$/, 'Y').replace('PASS', 'PAS')
}

/** Shorter names are too close to those of other programs. */
const minMisspelledCharacters = 7

/** Names of settings that are never printed. On Node each can be in a file, which NAME_FILE names. */
export const secretNames: readonly string[] = rows.flatMap(([name, { secret }]) => (secret ? [name] : []))

/** Returns what each setting alone does not show: addresses that no record could ever hold, and a suffix without use. */
function combinationProblems({ hosts, expectedCidrs, ipv6Suffix }: PushSettings): readonly string[] {
  const types = (['A', 'AAAA'] as const).filter(type => hosts?.some(host => host.types.includes(type)))
  const lacks = (version: number) => !expectedCidrs.some(({ family }) => family === version)
  const unfit = types.filter(type => expectedCidrs.length > 0 && lacks(families[type].version))
  const range = (type: 'A' | 'AAAA') => `no IPv${families[type].version} range, but HOSTS has type ${type}`
  return [
    ...unfit.map(type => `EXPECTED_CIDR has ${range(type)}. Add one.`),
    ...(ipv6Suffix && types.join() === 'A' ? ['IPV6_SUFFIX needs a host of type AAAA.'] : []),
  ]
}
