import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../tools/bundle.ts'

/** A fenced block of a page. */
export interface Block {
  readonly language: string
  /** Without the indentation of its fence. */
  readonly text: string
  /** What no test runs, from the comment above the block: `<!-- not run: … -->`, or `<!-- not run (gh, curl): … -->`. */
  readonly notRun: 'all' | readonly string[]
  /** The other file of tests that runs it, or what can run of it: `<!-- run by test/… -->`, `<!-- run by test/… and not run (gh): … -->`. */
  readonly runBy: string | null
}

/** Texts of the blocks that the tests of a file ran. */
export const ran = new Set<string>()

const blockForm =
  /(?:^ *<!-- (?:run by (\S+) and )?(?:(not run)(?: \(([^)\n]+)\))?: [^>]+|run by (\S+)) -->\n+)?^( *)```(\w+)[^\n]*\n([\s\S]*?)^ *```$/gm

const read = (page: string): string => readFileSync(join(root, page), 'utf8')

function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(blockForm)].map(
    ([, partly, mark, programs, whole, indent = '', language = '', body = '']) => ({
      language,
      text: indent === '' ? body : body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      notRun: mark && !programs ? 'all' : (programs?.split(/, */) ?? []),
      runBy: whole ?? partly ?? null,
    }),
  )
}

/**
 * Returns the fenced blocks of a section of a page, subsections included, in order.
 * @throws Error if the page has no such section
 */
export function blocksIn(page: string, heading: string): readonly Block[] {
  const text = read(page)
  const start = text.indexOf(`\n${heading}\n`)
  if (start < 0) throw new Error(`${page} has no section "${heading}".`)
  const level = heading.indexOf(' ')
  const next = new RegExp(`^#{1,${level}} `, 'm').exec(text.slice(start + heading.length + 2))
  return blocksOf(text.slice(start, next ? start + heading.length + 2 + next.index : undefined))
}

/** Returns the blocks of shell commands of a page. */
export function shellBlocksOf(page: string): readonly Block[] {
  return blocksOf(read(page)).filter(({ language }) => language === 'sh')
}

/** Returns the only block of shell commands of a page that has a text. @throws Error if there is none, or several */
export function blockWith(page: string, part: string): Block {
  const [found, ...others] = shellBlocksOf(page).filter(({ text }) => text.includes(part))
  if (found === undefined || others.length > 0)
    throw new Error(`${page} does not have one block with ${part}.`)
  return found
}

/** Sections that are about a stack, by page: bootstrap.test.ts and host-stack.test.ts run their commands. */
export const stackSections: Readonly<Record<string, readonly string[]>> = {
  'docs/operate.md': [
    '## Settings from a Pulumi stack',
    '## Upgrade a Worker',
    '## Rotate credentials of a stack',
    '## Let every up hand over the token',
    '## Remove a stack',
  ],
  'docs/sign-in.md': ['## With a stack'],
}

/** Returns the commands of a block that can run here. A command may have several lines. */
export function runnable({ text, notRun }: Pick<Block, 'text' | 'notRun'>): string {
  if (notRun === 'all') return ''
  const commands = text.match(/(?:[^\n]*\\\n)*[^\n]*\n/g) ?? []
  return commands.filter(command => !notRun.some(program => starts(command, program))).join('')
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Whether a command starts a program, at its beginning or within. */
function starts(command: string, program: string): boolean {
  return new RegExp(`(^|[|&;(]\\s*)${escaped(program)}(\\s|$)`, 'm').test(command)
}

/**
 * Returns the commands of a page that no test of the file ran, and that are not marked. What `.ci/run` runs counts as run.
 * @param blocks by default all blocks of shell commands of the page
 */
export function leftOut(page: string, blocks = shellBlocksOf(page)): readonly string[] {
  const inCi = read('.ci/run')
    .replaceAll(/^(always|stage \S+( as_root)?) /gm, '')
    .split('\n')
  return blocks
    .filter(({ text, runBy }) => !ran.has(text) && runBy === null)
    .flatMap(block => runnable(block).split('\n'))
    .filter(line => line.trim() !== '' && !inCi.includes(line.replace(/ +#.*/, '')))
}

/**
 * Returns the lines of an expected output of a page that an output lacks. `…` stands for any text, and `@1234` for any id.
 */
export function missingLines(output: string, expected: string): readonly string[] {
  const linesOf = (text: string) => text.split('\n').map(line => line.trim().replace(/ +/g, ' '))
  const lines = linesOf(output)
  return linesOf(expected).filter(line => {
    const pattern = escaped(line).replaceAll('…', '.*').replaceAll(/@\d+/g, '@\\d+')
    return line !== '' && !lines.some(found => new RegExp(`^${pattern}$`).test(found))
  })
}
