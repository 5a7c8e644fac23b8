/**
 * Everything a log line may hold. There is no field for a name, an address, a code, a state, a token, a cookie or a
 * secret, and none for free text from outside.
 */
export interface LogEntry {
  readonly level: 'info' | 'warning' | 'error'
  readonly event: 'request' | 'start' | 'stop' | 'settings'
  readonly correlationId?: string | undefined
  readonly method?: string | undefined
  /** The route, not the address: addresses hold codes. */
  readonly route?: string | undefined
  readonly status?: number | undefined
  /** Code of the failure. */
  readonly code?: string | undefined
  readonly durationMs?: number | undefined
  readonly employeeId?: string | undefined
  /** Error of the provider, from a fixed list, or the code of a connection that failed; and its AADSTS number. */
  readonly providerError?: string | undefined
  readonly providerNumber?: number | undefined
  /** Error code of the employee store's driver. */
  readonly store?: string | undefined
  /** Somebody may be trying something. */
  readonly security?: boolean | undefined
  /** What is wrong with a setting; never holds its value where that is a secret. */
  readonly message?: string | undefined
  /** Kind of an error nobody foresaw, without its text. */
  readonly errorName?: string | undefined
}

export type Log = (entry: LogEntry) => void

/** Every field there is, in the order of a line. No other is written, however wide an object slips in. */
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
  'providerError',
  'providerNumber',
  'store',
  'security',
  'message',
  'errorName',
]

/** A JSON line of an entry. */
export function formatEntry(entry: LogEntry, time: Date): string {
  const line: Record<string, unknown> = { time: time.toISOString() }
  for (const field of fields) line[field] = entry[field]
  return JSON.stringify(line)
}
