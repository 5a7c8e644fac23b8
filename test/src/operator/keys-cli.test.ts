import { spawnSync } from 'node:child_process'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { runKeysCommand } from '../../../src/operator/keys-cli.ts'
import { createSessionKey } from '../../../src/session/keys.ts'
import { freshBundle } from '../../../tools/bundle.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = temporaryFolder()
const file = join(folder, 'session-keys')

const old = createSessionKey(new Date('2026-01-01'))
beforeEach(() => writeFile(file, `${old}\n`, { mode: 0o600 }))

/** Runs `keys` in this process. */
async function keys(...args: string[]) {
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    vi.spyOn(process[name], 'write').mockImplementation(text => {
      written[name] += text
      return true
    })
  try {
    return { status: await runKeysCommand(args), ...written }
  } finally {
    vi.restoreAllMocks()
  }
}
const inFile = async () => (await readFile(file, 'utf8')).trim().split(',')

it('rotates the keys of a file in three steps, keeps its mode, and prints names only', async () => {
  await chmod(file, 0o640)
  const added = await keys('add', file)
  const [first, fresh = ''] = await inFile()
  expect(first).toBe(old)
  expect(added).toMatchObject({ status: 0, stdout: '' })
  expect(added.stderr).toContain(`${old.split(':')[0]}, ${fresh.split(':')[0]}\n`)
  expect(added.stderr).not.toContain(fresh.split(':')[1])
  expect((await keys('use', file)).status).toBe(0)
  expect(await inFile()).toEqual([fresh, old])
  expect((await keys('remove', file)).status).toBe(0)
  expect(await inFile()).toEqual([fresh])
  expect((await stat(file)).mode & 0o777).toBe(0o640)
  expect(await readdir(folder)).toEqual(['session-keys'])
})

it('passes keys through a pipe', () => {
  const command = [freshBundle('server'), 'keys', 'add', '-']
  const { stdout } = spawnSync(process.execPath, command, { input: old, encoding: 'utf8' })
  expect(stdout).toMatch(new RegExp(`^${old},[\\w-]+:[\\w-]{43}\n$`))
})

it.each(['use', 'remove'])('refuses %s with one key', async command => {
  expect(await keys(command, file)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('has only one key. Nothing was changed.'),
  })
  expect(await inFile()).toEqual([old])
})

it.each([
  ['k1:hunter2', /has key 1, which is not base64url\. Nothing was changed\.\n$/],
  [Buffer.from(`\ufeff${old}`, 'utf16le'), /is not UTF-8 text/],
  ['k'.repeat(100_000), /has more than 64 KiB/],
])('changes no file that it cannot read as keys, and shows none of it: %#', async (text, problem) => {
  await writeFile(file, text)
  const { status, stderr } = await keys('add', file)
  expect([status, stderr]).toEqual([1, expect.stringMatching(problem)])
  expect(stderr).not.toContain('hunter2')
  expect(await readFile(file)).toEqual(Buffer.from(text))
})

it.each([['add'], ['new', 'file'], ['constructor', 'file']])('refuses keys %j', async (...args) => {
  const { status, stderr } = await keys(...args)
  expect(status).toBe(2)
  expect(stderr).toMatch(`There is no \`${['keys', ...args].join(' ')}\``)
})

it('shows help', async () => {
  expect(await keys('--help')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Usage: npm run keys/),
  })
})
