import { readFileSync } from 'node:fs'
import { actionInputs, createReader, type Environment, type Reader, readChoice } from './reader.ts'

/** What the report needs before any input is checked: a message about one input may show another's value. */
export interface ReportOptions {
  /** As given, so that it can be masked before anything else happens. */
  readonly token: string
  readonly maskAddress: boolean
  /** Where the runner collects the job summary; undefined when it does not. */
  readonly summaryFile: string | undefined
}

/** Reads what the report needs. An invalid `mask-address` falls back to `auto`; `readSettings` reports it. */
export function readReportOptions(env: Environment): ReportOptions {
  const source = actionInputs(env)
  const choice = readMaskChoice(createReader(source, []))
  return {
    token: source('api-token') ?? '',
    maskAddress: choice === 'auto' ? !isPrivateRepository(env['GITHUB_EVENT_PATH']) : choice === 'true',
    summaryFile: env['GITHUB_STEP_SUMMARY'] || undefined,
  }
}

/** Reads `mask-address`. `auto` masks unless the run's event says that only members can read its log. */
export function readMaskChoice(read: Reader): 'auto' | 'true' | 'false' {
  return readChoice(read, 'mask-address', ['auto', 'true', 'false'])
}

function isPrivateRepository(eventPath: string | undefined): boolean {
  if (!eventPath) return false
  try {
    const event: { repository?: { private?: unknown } } | null = JSON.parse(readFileSync(eventPath, 'utf8'))
    return event?.repository?.private === true
  } catch {
    return false
  }
}
