import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../tools/bundle.ts'

/** A fenced block of a page. */
export interface Block {
  readonly language: string
  readonly text: string
}

/**
 * Returns the fenced blocks of a section of a page, subsections included, in order.
 * @throws Error if the page has no such section
 */
export function blocksIn(page: string, heading: string): readonly Block[] {
  const text = readFileSync(join(root, page), 'utf8')
  const start = text.indexOf(`\n${heading}\n`)
  if (start < 0) throw new Error(`${page} has no section "${heading}".`)
  const level = heading.indexOf(' ')
  const next = new RegExp(`^#{1,${level}} `, 'm').exec(text.slice(start + heading.length + 2))
  const section = text.slice(start, next ? start + heading.length + 2 + next.index : undefined)
  return [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', body = '']) => ({
    language,
    text: body,
  }))
}
