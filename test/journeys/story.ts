/** One step of a story, which needs the ones before it. */
export interface Step<Story> {
  readonly title: string
  /** What not every subject of the story has. */
  readonly needs?: 'employees'
  run(story: Story): Promise<readonly Check[]>
}

/** The result of one check of a step. */
export interface Check {
  readonly what: string
  readonly good: boolean
  /** What was found. Never a secret. */
  readonly detail: string
}

/** Checks that a value is as wanted. */
export function same(what: string, found: unknown, wanted: unknown): Check {
  const good = JSON.stringify(found) === JSON.stringify(wanted)
  return { what, good, detail: good ? format(found) : `${format(found)} instead of ${format(wanted)}` }
}

/** Formats a value for people: texts without quotes, and an empty list as none. */
function format(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(format).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Checks that a text contains a line. */
export function shows(what: string, text: string, line: RegExp): Check {
  const [found] = line.exec(text) ?? []
  return { what, good: found !== undefined, detail: found ?? `${line} is not in:\n${text}` }
}
