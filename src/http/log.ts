/**
 * Every field that a log line can have, in the order of a line. No other property of an entry is written. None contains a name, an
 * address, a code, a state, a token, a cookie, a secret or free text from outside, except `operator`, since it must be clear who
 * changed an employee.
 */
const fields = [
  'level', // How serious it is.
  'event', // What the line is about.
  'correlationId', // What the visitor can quote.
  'method', // GET, POST or other.
  'route', // Not the URL, which can hold a code.
  'status', // Of the answer.
  'code', // The problem's.
  'durationMs', // Until there was an answer.
  'employeeId', // Whom it is about. Names stay out of the log.
  'operator', // The account that ran the operator's command.
  'change', // Its command, such as `admin on`.
  'outcome', // Whether its change was made, if that is unknown.
  'providerError', // Entra's, from a fixed list, or the error code of a connection or of a credential's file.
  'providerNumber', // The AADSTS number.
  'store', // The error code of the employee store's driver, or what is wrong with the store.
  'security', // A possible attack.
  'message', // What is wrong with a setting or a service, without a secret's value.
  'errorName', // Of an unexpected error, without its message.
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
