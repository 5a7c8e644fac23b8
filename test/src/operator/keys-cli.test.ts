import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createSessionKey } from '../../../src/session/keys.ts'
import { root } from '../../../tools/bundle.ts'

let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-keys-'))
  file = join(folder, 'session-keys')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const old = createSessionKey(new Date('2026-01-01'))
beforeEach(() => writeFile(file, `${old}\n`, { mode: 0o600 }))

const keys = (args: readonly string[], input = '') =>
  spawnSync(process.execPath, ['src/operator/keys-cli.ts', ...args], { cwd: root, input, encoding: 'utf8' })
const inFile = async () => (await readFile(file, 'utf8')).trim().split(',')

it('rotates the keys of a file in three steps, keeps its mode, and prints names only', async () => {
  await chmod(file, 0o640)
  const added = keys(['add', file])
  const [first, fresh = ''] = await inFile()
  expect(first).toBe(old)
  expect(added).toMatchObject({ status: 0, stdout: '' })
  expect(added.stderr).toContain(`${old.split(':')[0]}, ${fresh.split(':')[0]}\n`)
  expect(added.stderr).not.toContain(fresh.split(':')[1])
  expect(keys(['use', file]).status).toBe(0)
  expect(await inFile()).toEqual([fresh, old])
  expect(keys(['remove', file]).status).toBe(0)
  expect(await inFile()).toEqual([fresh])
  expect((await stat(file)).mode & 0o777).toBe(0o640)
  expect(await readdir(folder)).toEqual(['session-keys'])
})

it('passes keys through a pipe', () => {
  const { stdout } = keys(['add', '-'], old)
  const [first, fresh = ''] = stdout.trim().split(',')
  expect(first).toBe(old)
  expect(keys(['use', '-'], stdout).stdout).toBe(`${fresh},${old}\n`)
})

it.each(['use', 'remove'])('refuses %s with one key', async command => {
  expect(keys([command, file])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('has only one key. Nothing was changed.'),
  })
  expect(await inFile()).toEqual([old])
})

it('changes no file that it cannot read as keys, and shows none of it', async () => {
  await writeFile(file, 'k1:hunter2')
  const { status, stderr } = keys(['add', file])
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `${file} has key 1, which is not base64url. Nothing was changed.\n`,
  })
  expect(await readFile(file, 'utf8')).toBe('k1:hunter2')
  expect(keys(['add', join(folder, 'missing')])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('cannot be read (ENOENT)'),
  })
  for (const [text, problem] of [
    [Buffer.from(`\ufeff${old}`, 'utf16le'), 'is not UTF-8 text'],
    ['k'.repeat(100_000), 'has more than 64 KiB'],
  ] as const) {
    await writeFile(file, text)
    expect(keys(['add', file])).toMatchObject({ status: 1, stderr: expect.stringContaining(problem) })
  }
})

it.each([[], ['add'], ['new', 'file'], ['constructor', 'file']])('refuses keys %j', (...args) => {
  expect(keys(args)).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(`^There is no \`${['keys', ...args].join(' ')}\``),
  })
})
