/** Where a report goes: to GitHub's runner, or to a terminal. Texts arrive redacted. */
export interface Printer {
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
