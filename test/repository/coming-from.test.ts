import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { helpText } from '../../action/inputs/help.ts'
import { inputNames } from '../../action/inputs/table.ts'
import { openapi } from '../../src/http/openapi.ts'
import { routes } from '../../src/routes.ts'
import { rows } from '../../src/settings/table.ts'
import { root } from '../../tools/bundle.ts'

const page = readFileSync(join(root, 'docs/coming-from.md'), 'utf8')

/** The headings of the page's tables, and what the names in them can be. */
const sections: Readonly<Record<string, (name: string) => boolean>> = {
  ddclient: isOfTheUpdater,
  'favonia/cloudflare-ddns': isOfTheUpdater,
  'ddns-updater': isOfTheUpdater,
  'oauth2-proxy': isOfTheHandler,
  tinyauth: isOfTheHandler,
}

/** Whether a name is an input of the action, or a flag that only the command has. */
function isOfTheUpdater(name: string): boolean {
  if (!name.startsWith('--')) return (inputNames as readonly string[]).includes(name)
  return (
    !inputNames.includes(name.slice(2) as never) && new RegExp(`^ *(.*, )?${name}\\b`, 'm').test(helpText())
  )
}

const handlerNames = new Set<string>([
  ...rows.map(([name]) => name),
  ...Object.values(routes),
  ...forwardHeaders(),
])

/** Returns the headers of the check for a proxy. */
function forwardHeaders(): readonly string[] {
  const responses: object = openapi.paths[routes.forward].get.responses
  return Object.keys(new Map(Object.entries(responses)).get('204').headers)
}

/** Whether a name is a setting, a route or a header of the handler, or a command of its operator. */
function isOfTheHandler(name: string): boolean {
  const [employees, command] = name.split(' ')
  return employees === 'employees'
    ? new RegExp(`^  ${command} `, 'm').test(employeesHelp)
    : handlerNames.has(name.replace(/\?.*/, ''))
}

const employeesHelp = execFileSync(process.execPath, [join(root, 'src/operator/cli.ts'), '--help'], {
  encoding: 'utf8',
})

/** Returns the rows of a section's table as cells, without its head. */
function rowsOf(section: string, text: string): readonly (readonly string[])[] {
  const [, after = ''] = text.split(`\n### ${section}\n`)
  const [own = ''] = after.split(/^##/m)
  return own
    .split('\n')
    .filter(line => line.startsWith('| '))
    .slice(1)
    .map(line => line.split('|').map(cell => cell.trim()))
}

/** Returns the cells of a section that name something that Homeport does not have, or nothing at all. */
function unknown(section: string, text = page): readonly string[] {
  return rowsOf(section, text)
    .map(([, , ours = '']) => ours)
    .filter(ours => {
      const names = [...ours.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
      const isKnown = sections[section]
      return ours !== 'none' && (names.length === 0 || !names.every(name => isKnown?.(name)))
    })
}

describe('docs/coming-from.md', () => {
  it('has a table for each tool, and no other', () => {
    const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading)
    expect(headings).toEqual(Object.keys(sections))
    for (const heading of Object.keys(sections)) expect(rowsOf(heading, page).length).toBeGreaterThan(10)
  })

  it.each(Object.keys(sections))('names what Homeport has, beside the settings of %s', section => {
    expect(unknown(section)).toEqual([])
  })

  it('has wrong names reported', () => {
    const wrong = page
      .replace('| `address` | |', '| `adress` | |')
      .replace('| `dry-run` |', '| `--dry-run` |')
      .replace('| `BASE_PATH` |', '| `BASE_PATHS` |')
      .replace('| `/healthz` |', '| |')
      .replace('| `employees import` |', '| `employees load` |')
    expect(unknown('ddclient', wrong)).toEqual(['`adress`', '`--dry-run`'])
    expect(unknown('oauth2-proxy', wrong)).toEqual(['`employees load`', '`BASE_PATHS`', ''])
  })
})
