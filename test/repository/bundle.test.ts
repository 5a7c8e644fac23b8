import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'

const dist = fileURLToPath(new URL('../../action/dist', import.meta.url))
const bundle = readFileSync(join(dist, 'index.js'), 'utf8')
/** See docs/development/decisions/tools.md. */
const maxBytes = 171_000

describe('the shipped bundle', () => {
  it('is executable in git, so that npm link changes nothing there', async () => {
    const { stdout } = await promisify(execFile)('git', ['ls-files', '--stage', 'index.js'], { cwd: dist })
    expect(stdout).toMatch(/^100755 /)
  })

  it('is small and readable', () => {
    expect(statSync(join(dist, 'index.js')).size).toBeLessThanOrEqual(maxBytes)
    const lines = bundle.split('\n')
    expect(lines.length).toBeGreaterThan(1000)
    expect(Math.max(...lines.map(line => line.length))).toBeLessThan(1000)
  })

  it('runs as an ES module, too, so that releases can name it homeport.mjs', async () => {
    const file = join(temporaryFolder(), 'homeport.mjs')
    await copyFile(join(dist, 'index.js'), file)
    const { stdout } = await promisify(execFile)(process.execPath, [file, '--version'])
    expect(stdout).toMatch(/^homeport \d/)
  })

  it('imports only modules of Node, and none that starts a process', () => {
    const required = [...bundle.matchAll(/(?:require|import)\("([^"]+)"\)/g)].map(([, name]) => name ?? '')
    const imported = [...bundle.matchAll(/^\s*(?:import|export)\b[^;]*? from ["']([^"']+)["']/gm)].map(
      ([, name]) => name ?? '',
    )
    const modules = [...required, ...imported].map(name => name.replace(/^node:/, ''))
    expect(modules).toEqual(expect.arrayContaining(['http', 'https']))
    expect(modules.filter(name => !builtinModules.includes(name))).toEqual([])
    expect(modules).not.toContain('child_process')
  })

  it('contains the toolkit of the runner, and the licence of every bundled package', () => {
    const licences = readFileSync(join(dist, 'licenses.txt'), 'utf8')
    const packages = new Set(
      [...bundle.matchAll(/^\s*\/\/ node_modules\/((?:@[^/]+\/)?[^/"]+)\//gm)].map(([, name]) => name ?? ''),
    )
    expect([...packages]).toEqual(expect.arrayContaining(['@actions/core', '@actions/http-client']))
    for (const name of packages) expect(licences).toMatch(new RegExp(`^${name}$`, 'm'))
  })
})
