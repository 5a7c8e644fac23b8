/**
 * Every field that a log line can have. None contains a name, an address, a code, a state, a token, a cookie, a secret or
 * free text from outside, except `operator`, since it must be clear who changed an employee.
 */
export interface LogEntry {
  readonly level: 'info' | 'warning' | 'error'
  readonly event: 'request' | 'start' | 'stop' | 'settings' | 'change'
  readonly correlationId?: string | undefined
  readonly method?: string | undefined
  /** The route and not the URL, since a URL can hold a code. */
  readonly route?: string | undefined
  readonly status?: number | undefined
  /** Problem code. */
  readonly code?: string | undefined
  readonly durationMs?: number | undefined
  readonly employeeId?: string | undefined
  /** Name of the account that ran the operator's command. */
  readonly operator?: string | undefined
  /** The operator's command, such as `admin on`. */
  readonly change?: string | undefined
  /** `unknown` if the store did not say whether the operator's change was made. */
  readonly outcome?: 'unknown' | undefined
  /** Entra's error, from a fixed list, or the error code of a connection or of a credential file. */
  readonly providerError?: string | undefined
  /** AADSTS number. */
  readonly providerNumber?: number | undefined
  /** Error code of the employee store's driver. */
  readonly store?: string | undefined
  /** A possible attack. */
  readonly security?: boolean | undefined
  /** What is wrong with a setting. Never holds a secret's value. */
  readonly message?: string | undefined
  /** Name of an unexpected error, without its message. */
  readonly errorName?: string | undefined
}

export type Log = (entry: LogEntry) => void

/** Every field, in the order of a line. No other property of an entry is written. */
const fields: readonly (keyof LogEntry)[] = [
  'level',
  'event',
  'correlationId',
  'method',
  'route',
  'status',
  'code',
  'durationMs',
  'employeeId',
  'operator',
  'change',
  'outcome',
  'providerError',
  'providerNumber',
  'store',
  'security',
  'message',
  'errorName',
]

let lastMs = Number.NaN
let lastText = ''

/** Returns a time in ISO 8601. A busy server logs several lines in a millisecond, so its text is kept. */
function textOf(time: Date): string {
  const ms = time.getTime()
  if (ms !== lastMs) {
    lastText = time.toISOString()
    lastMs = ms
  }
  return lastText
}

/** Returns a log line as JSON. */
export function formatEntry(entry: LogEntry, time: Date): string {
  const line: Record<string, unknown> = { time: textOf(time) }
  for (const field of fields) {
    const value = entry[field]
    if (value !== undefined) line[field] = value
  }
  return JSON.stringify(line)
}
