import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { launchProgram } from '../support/launcher.ts'

/** What a runner may download for each job, in bytes. */
const maxArchiveBytes = 400_000

let folder: string
let archive: Buffer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-archive-'))
  // As GitHub makes it: of a commit, and with gzip's default level.
  archive = execFileSync('git', ['archive', '--format=tar.gz', 'HEAD'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  })
  execFileSync('tar', ['--extract', '--gzip'], { cwd: folder, input: archive })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('the archive of a commit is small, and has the action', () => {
  expect(archive.length).toBeLessThan(maxArchiveBytes)
  for (const name of ['action.yml', 'action/dist/index.js', 'LICENSE', 'README.md'])
    expect(existsSync(join(folder, name)), name).toBe(true)
})

it('npm ci --omit=dev takes it without the workspace that it lacks', () => {
  expect(existsSync(join(folder, 'sandbox'))).toBe(false)
  const args = ['ci', '--omit=dev', '--dry-run', '--offline', '--ignore-scripts']
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
})

it('builds, and loads the Pulumi program', { timeout: 60_000 }, async () => {
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` }
  const built = spawnSync(process.execPath, ['tools/build.ts'], { cwd: folder, env, encoding: 'utf8' })
  expect(built, built.stderr).toMatchObject({ status: 0 })
  for (const bundle of ['worker.js', 'push-worker.js'])
    expect(existsSync(join(folder, 'build', bundle)), bundle).toBe(true)
  const { log, written } = await launchProgram({ folder })
  expect(written).toBe('')
  expect(log.map(({ message }) => message).join('\n')).toContain('homeport:zoneId is missing')
})
