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
