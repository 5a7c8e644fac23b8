/** What the command line can set. Each contest uses what it needs. */
export interface Options {
  /** Rounds of each comparison. */
  readonly rounds?: number
  /** Seconds of one round under load. */
  readonly seconds?: number
  /** Path of the program that the action is compared with. */
  readonly favonia?: string
}

/** What a contest found. */
export interface Outcome {
  /** As Markdown. */
  readonly figures: string
  /** The goals that were not reached, a sentence each. */
  readonly missed: readonly string[]
}

/**
 * Measures one room. Reports progress a line at a time.
 * @throws Error if anything that is measured fails
 */
export type Measure = (options: Options, progress: (text: string) => void) => Promise<Outcome>

/** Returns a sentence if a ratio is not at most its goal. */
export function missedGoal(what: string, ratio: number, goal: number): readonly string[] {
  return ratio <= goal ? [] : [`${what}: the ratio is ${show(ratio, 2)}, and the goal is at most ${goal}.`]
}

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
