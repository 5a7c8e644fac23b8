import type { FullReading } from '../../lib/reading.ts'
import { credentialFiles } from './credential-file.ts'
import { misspelledNames } from './names.ts'
import { describeProblem } from './problems.ts'
import { type Environment, rows, type Settings, table } from './table.ts'

/** Reads every setting. Returns all of them, or every problem at once, in sentences that repeat no secret. */
export function readSettings(env: Environment): FullReading<Settings> {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, { read, field, fix, default: standard = '' }] of rows) {
    if (!read) continue
    const spelt = name === 'HTTPS_PROXY' && !textIn(env, name) ? 'https_proxy' : name
    const reading = read(textIn(env, spelt) || standard, values)
    if ('problems' in reading) {
      for (const problem of reading.problems) {
        const isFixKnown = /^(missing|graph-unknown|key-)/.test(problem.code)
        problems.push(`${spelt} ${describeProblem(problem)}${isFixKnown ? ` ${fix}` : ''}`)
      }
    } else if (field) values[field] = reading.value
  }
  problems.push(...credentialProblems(env), ...misspelledNames(env))
  // Each row that was not refused has set its field.
  return problems.length > 0 ? { problems } : { value: values as unknown as Settings }
}

/** Returns the text of a setting without blanks around it; blank if it is missing or an object. */
function textIn(env: Environment, name: string): string {
  const given = env[name] ?? ''
  return typeof given === 'object' ? '' : String(given).trim()
}

/** Exactly one of the secret and the files that replace it authenticates the application. */
function credentialProblems(env: Environment): readonly string[] {
  const given: string[] = credentialFiles(env).map(({ setting }) => setting)
  if (textIn(env, 'CLIENT_SECRET') !== '') given.splice(1, 0, 'CLIENT_SECRET')
  const [first, ...others] = given
  if (first === undefined) return [`CLIENT_SECRET is missing. ${table.CLIENT_SECRET.fix}`]
  return others.length > 0 ? [`${first} cannot be combined with ${others.join(' or ')}. Set only one.`] : []
}
