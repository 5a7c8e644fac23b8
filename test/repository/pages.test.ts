import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tokenLink } from '../../action/records/record.ts'
import { root } from '../../tools/bundle.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
const pages = files.filter(file => file.endsWith('.md'))
const scripts: Readonly<Record<string, string>> = JSON.parse(read('package.json')).scripts

/** Removes code, where brackets are not links and `#` starts no heading. */
function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '')
}

/** Returns the anchors of a page, as GitHub makes them from its headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading)
  return new Set(
    headings.map(heading =>
      heading
        .toLowerCase()
        .replace(/[^\p{Letter}\p{Number}\p{Mark} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

/** Whether a target such as `docs/router.md#routers` names no file of this repository, or no heading of it. */
function isMissing(target: string): boolean {
  const [path = '', anchor] = target.split('#')
  if (!existsSync(join(root, path))) return true
  return anchor !== undefined && !anchorsOf(read(path)).has(anchor)
}

/** Returns the links of a page to files and headings of this repository that do not exist. */
function brokenLinks(page: string, text: string): readonly string[] {
  return [...withoutCode(text).matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target = '']) => target.replace('https://github.com/OWNER/homeport/blob/main/', '/'))
    .filter(target => !/^[a-z]+:/.test(target))
    .map(target => {
      if (target.startsWith('#')) return `${page}${target}`
      return target.startsWith('/') ? target.slice(1) : join(dirname(page), target)
    })
    .filter(isMissing)
}

/** Returns what code, messages, workflows and configurations say of pages: each file with the targets that it names. */
function mentions(): readonly (readonly [file: string, targets: readonly string[]])[] {
  const files = execFileSync('git', ['ls-files', ...mentioning], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
  const form = /(?<![\w/.])docs\/[\w/-]+\.(?:md|yml|yaml|toml|service|timer)(?:#[\w-]+)?/g
  return files.flatMap(file => {
    const targets = [...new Set(read(file).match(form))]
    return targets.length > 0 ? [[file, targets] as const] : []
  })
}
const mentioning = [
  ...'lib action push src infra sandbox demo bench tools .github action.yml Pulumi.yaml Dockerfile'.split(
    ' ',
  ),
  ...['yml', 'toml', 'service', 'conf'].map(end => `docs/**/*.${end}`),
  ':!action/dist',
]

/** Returns the files that a page names in code, and that are not exactly one file or a folder: paths in a room, and sources by their ends. */
function missingFiles(text: string): readonly string[] {
  const isNamed = (name: string) => (file: string) => file === name || file.endsWith(`/${name}`)
  return [...text.matchAll(/`([\w./-]+)`/g)]
    .map(([, name = '']) => name.replace(/\/$/, ''))
    .filter(name =>
      /\.ts$|^(?:\.ci|action|bench|demo|docs|infra|lib|push|sandbox|src|test|tools)\//.test(name),
    )
    .filter(name => files.filter(isNamed(name)).length !== 1)
    .filter(name => !files.some(file => file.startsWith(`${name}/`)))
}

/** Returns the scripts of package.json that a page runs, and that do not exist. */
function missingScripts(text: string): readonly string[] {
  const named = [...text.matchAll(/\bnpm run (?:-s )?([a-z][\w:-]*)/g)].map(([, name = '']) => name)
  return named.filter(name => scripts[name] === undefined)
}

describe('the pages', () => {
  it.each(pages)('%s names only files and scripts that exist', page => {
    expect([...missingFiles(read(page)), ...missingScripts(read(page))]).toEqual([])
  })

  it.each(pages)('%s links only to files and headings that exist', page => {
    expect(brokenLinks(page, read(page))).toEqual([])
  })

  it.each(mentions())('%s names only pages and headings that exist', (_file, targets) => {
    expect(targets.filter(isMissing)).toEqual([])
  })
})

it.each(['README.md', 'docs/router.md', 'docs/github-actions.md'])(
  '%s links to the form for a token that messages link to',
  page => {
    expect(read(page)).toContain(`(${tokenLink})`)
  },
)

/** Commands that say by a flag what docs/deploy.md sets once for all of them, so that they would differ from those that do not. */
function deviations(file: string): readonly string[] {
  const form = /pulumi (?:up|preview|refresh|destroy)[^`\n]*(?:--run-program(?!=false)|--policy-pack)/g
  return read(file).match(form) ?? []
}

it('every page, message and workflow runs Pulumi in one way', () => {
  const files = execFileSync('git', ['ls-files', '*.md', 'infra', '.github', ':!CHANGELOG.md'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(files.trim().split('\n').flatMap(deviations)).toEqual([])
})
