/** Where a report goes: to GitHub's runner, or to a terminal. Texts arrive redacted. */
export interface Printer {
  /** Whether each of several rounds is published. The runner takes outputs only once, for the whole run. */
  readonly publishesRounds: boolean
  /** How long the output `records` can be. */
  readonly maxRecordsCharacters: number
  /** Masks a secret in what other programs print. */
  secret(text: string): void
  line(text: string): void
  warning(text: string): void
  error(text: string, reason?: string): void
  /** Publishes the outputs and the summary. Returns whether all outputs were written. */
  publish(outputs: Readonly<Record<string, string>>, summary: () => string, result: string): boolean
}
