import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { exposedFiles } from '../../src/exposed-files.ts'

describe('a file with a secret', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'homeport-exposed-')))
  afterAll(() => rmSync(folder, { recursive: true }))
  function fileOf(name: string, mode: number): string {
    const path = join(folder, name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, 's3cret')
    execFileSync('chmod', [mode.toString(8), path])
    return path
  }
  const warningsOf = (path: string, env = {}, mounts = '') =>
    exposedFiles({ CLIENT_SECRET_FILE: path, ...env }, ['CLIENT_SECRET', 'DATABASE_URL'], mounts)

  it('is reported if everybody can read it', () => {
    const open = fileOf('open', 0o644)
    const warning =
      'CLIENT_SECRET_FILE names a file that every user of this machine can read (permissions 0644). Run `chmod 600` on it.'
    expect(warningsOf(open)).toEqual([warning])
    symlinkSync(open, join(folder, 'link'))
    expect(warningsOf(join(folder, 'link'))).toEqual([warning])
    for (const mode of [0o600, 0o640, 0o660]) expect(warningsOf(fileOf('closed', mode))).toEqual([])
  })

  it('is not reported if it is no file, or another setting is used', () => {
    execFileSync('mkfifo', ['-m', '644', join(folder, 'pipe')])
    expect(warningsOf(join(folder, 'pipe'))).toEqual([])
    expect(warningsOf(join(folder, 'missing'))).toEqual([])
    expect(warningsOf('')).toEqual([])
  })

  it('is not reported where systemd and containers put it', () => {
    const path = fileOf('credentials/secret', 0o444)
    expect(warningsOf(path)).toHaveLength(1)
    expect(warningsOf(path, { CREDENTIALS_DIRECTORY: join(folder, 'credentials') })).toEqual([])
    expect(warningsOf(path, { CREDENTIALS_DIRECTORY: join(folder, 'cred') })).toHaveLength(1)
  })

  it('is not reported on a mount that is read-only', () => {
    const path = fileOf('with space/secret', 0o444)
    const mount = (point: string, options: string, all = 'rw') =>
      `36 35 98:0 / ${point.replaceAll(' ', '\\040')} ${options},relatime shared:1 - ext4 /dev/sda ${all}\n`
    const here = join(folder, 'with space')
    expect(warningsOf(path, {}, mount('/', 'ro'))).toEqual([])
    expect(warningsOf(path, {}, mount('/', 'rw', 'ro,errors=continue'))).toEqual([])
    expect(warningsOf(path, {}, mount('/', 'ro') + mount(folder, 'rw'))).toHaveLength(1)
    expect(warningsOf(path, {}, mount(here, 'ro') + mount('/', 'rw'))).toEqual([])
    expect(warningsOf(path, {}, mount(here, 'ro') + mount(here, 'rw'))).toHaveLength(1)
    // Containers mount single files, too.
    expect(warningsOf(path, {}, mount('/', 'rw') + mount(path, 'ro'))).toEqual([])
    expect(warningsOf(path, {}, mount('/', 'rw') + mount(join(folder, 'with'), 'ro'))).toHaveLength(1)
  })
})
