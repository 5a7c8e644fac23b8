/** What the command line can set. Each contest uses what it needs. */
export interface Options {
  /** Rounds of each comparison. */
  readonly rounds?: number
  /** Seconds of one round under load. */
  readonly seconds?: number
  /** Path of the program that the action is compared with. */
  readonly favonia?: string
  /** Path of the program that forward checks are compared with. */
  readonly 'oauth2-proxy'?: string
}

/**
 * Measures one room. Reports progress a line at a time.
 * @returns the figures as Markdown
 * @throws Error if anything that is measured fails
 */
export type Measure = (options: Options, progress: (text: string) => void) => Promise<string>

/** Returns the median: the mean of the two middle values if their number is even. NaN for no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [one = Number.NaN, other = one] = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1)
  return (one + other) / 2
}

/** Shows a number with thousands separated. */
export function show(value: number, digits = 0): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** Shows a median with its range. The unit follows the median. */
export function spread(values: readonly number[], unit = '', digits = 0): string {
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)].map(value =>
    show(value, digits),
  )
  return `${middle}${unit && ` ${unit}`} (${least} to ${most})`
}

/** Returns a Markdown table. The first row is its head. */
export function table(...[head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}
