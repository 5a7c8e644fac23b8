/** Where a report goes: to GitHub's runner, or to a terminal. Texts arrive redacted. */
export interface Printer {
  /** Whether each of several rounds is published. The runner only takes the outputs of the whole run. */
  readonly publishesRounds: boolean
  /** Keeps a secret out of whatever else is printed beside this process. */
  secret(text: string): void
  line(text: string): void
  warning(text: string): void
  error(text: string, reason?: string): void
  /** Hands over what programs read. Returns whether they will get all of it. */
  publish(outputs: Readonly<Record<string, string>>, summary: () => string, result: string): boolean
}
