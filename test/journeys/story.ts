import { styleText } from 'node:util'
import { printable } from '../../lib/quote.ts'

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

export const bold = (text: string): string => styleText('bold', text)
/** Returns the sign in front of a check. */
export const sign = (good: boolean): string => (good ? styleText('green', '✓') : styleText('red', '✗'))

/** How a story is told. */
export interface Telling {
  print(line: string): void
  /** Whether to do a step. */
  confirm?(title: string): Promise<boolean>
  /** What steps need and this subject does not have. */
  readonly lacks?: string
}

/** Walks the steps until one fails, or is not confirmed. Resolves to whether all succeeded. */
export async function tell<Story>(
  story: Story,
  steps: readonly Step<Story>[],
  { print, confirm, lacks }: Telling,
): Promise<boolean> {
  for (const [index, { title, needs, run }] of steps.entries()) {
    print(`\n${bold(`${index + 1} of ${steps.length}  ${title}`)}`)
    if (needs && needs === lacks) {
      print(`   not asked: there are no ${needs}`)
      continue
    }
    if (confirm && !(await confirm(title))) return false
    const failed = ({ message }: Error) => [{ what: 'failed', good: false, detail: message }]
    const checks = await run(story).catch(failed)
    for (const { what, good, detail } of checks)
      print(`   ${sign(good)} ${what.padEnd(30)}${detail.split('\n').map(printable).join('\n')}`)
    if (!checks.every(({ good }) => good)) return false
  }
  return true
}
