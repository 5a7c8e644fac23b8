import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './bundle.ts'

/** Writes a generated file. With --check, only reports whether it is out of date, in its text and exit status. */
export function writeGenerated(path: string, text: string): void {
  const file = join(root, path)
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text)
  } else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${path} is out of date. Run \`npm run format\` and commit the result.\n`)
    process.exitCode = 1
  }
}

/**
 * Replaces the regions of a page that are generated, each between `<!-- NAME: … -->` and `<!-- end of NAME -->`.
 * @throws Error if the page does not have exactly one region of a name
 */
export function replaceRegions(page: string, regions: Readonly<Record<string, string>>): string {
  return Object.entries(regions).reduce((text, [name, content]) => {
    const region = new RegExp(`(?<=^<!-- ${name}: .*-->$)[^]*?(?=^<!-- end of ${name} -->$)`, 'gm')
    const { length } = [...text.matchAll(region)]
    if (length !== 1) throw new Error(`The page has ${length} regions "${name}". It needs one.`)
    return text.replace(region, () => `\n\n${content}\n\n`)
  }, page)
}

/** Returns a table in Markdown. Vertical bars in cells are escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}
