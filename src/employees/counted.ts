/** Returns a number with its noun: `1 employee`, `2 employees`. */
export function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}
