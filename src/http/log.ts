/**
 * Every field that a log line can have, in the order of a line. No other property of an entry is written. None contains a name, an
 * address, a code, a state, a token, a cookie, a secret or free text from outside, except `operator`, since it must be clear who
 * changed an employee.
 */
const fields = [
  ...(['level', 'event', 'correlationId', 'method'] as const),
  // The route and not the URL, since a URL can hold a code. `code` is the problem's.
  ...(['route', 'status', 'code', 'durationMs', 'employeeId'] as const),
  // The account that ran the operator's command, the command, such as `admin on`, and whether its change was made.
  ...(['operator', 'change', 'outcome'] as const),
  // Entra's error, from a fixed list, or the error code of a connection or of a credential file; and the AADSTS number.
  ...(['providerError', 'providerNumber'] as const),
  // The error code of the employee store's driver, and a possible attack.
  ...(['store', 'security'] as const),
  // What is wrong with a setting, without a secret's value, and the name of an unexpected error, without its message.
  ...(['message', 'errorName'] as const),
] as const

/** The fields that are not texts. */
interface Special {
  readonly level: 'info' | 'warning' | 'error'
  readonly event: 'request' | 'start' | 'stop' | 'settings' | 'change'
  readonly status: number
  readonly durationMs: number
  readonly providerNumber: number
  readonly outcome: 'unknown'
  readonly security: boolean
}

type Field = (typeof fields)[number]

export type LogEntry = Pick<Special, 'level' | 'event'> & {
  readonly [Name in Field]?: (Name extends keyof Special ? Special[Name] : string) | undefined
}

export type Log = (entry: LogEntry) => void

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
