/** One thing that a step saw to be as it should, or not. */
export interface Check {
  readonly what: string
  readonly good: boolean
  /** What was found. Never a secret. */
  readonly detail: string
}

/** Returns a check of one value. */
export function same(what: string, found: unknown, wanted: unknown): Check {
  const good = JSON.stringify(found) === JSON.stringify(wanted)
  return { what, good, detail: good ? spell(found) : `${spell(found)} instead of ${spell(wanted)}` }
}

/** Spells a value for people: texts without quotes, and an empty list as none. */
function spell(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(spell).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns a check that a text has a line. */
export function shows(what: string, text: string, line: RegExp): Check {
  const [found] = line.exec(text) ?? []
  return { what, good: found !== undefined, detail: found ?? `${line} is not in:\n${text}` }
}
