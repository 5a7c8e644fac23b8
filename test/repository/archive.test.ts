import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** What a runner may download for each job, in bytes. */
const maxArchiveBytes = 530_000

let folder: string
let archive: Buffer
beforeAll(async () => {
  folder = temporaryFolder()
  // As GitHub makes it: of a commit, and with gzip's default level.
  archive = execFileSync('git', ['archive', '--format=tar.gz', 'HEAD'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  })
  execFileSync('tar', ['--extract', '--gzip'], { cwd: folder, input: archive })
})

function run(program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const path = `${dirname(process.execPath)}:${process.env['PATH']}`
  const env = { ...process.env, PATH: path, ...more }
  return spawnSync(program, args, { cwd: folder, env, encoding: 'utf8' })
}

it('the archive of a commit is small, and has the action', () => {
  expect(archive.length).toBeLessThan(maxArchiveBytes)
  for (const name of ['action.yml', 'action/dist/index.js', 'LICENSE', 'README.md'])
    expect(existsSync(join(folder, name)), name).toBe(true)
})

it('npm ci --omit=dev takes it', () => {
  expect(existsSync(join(folder, 'sandbox'))).toBe(false)
  const { status, stderr } = run('npm', ['ci', '--omit=dev', '--dry-run', '--offline', '--ignore-scripts'])
  expect(status, stderr).toBe(0)
})

/** Links the packages that `npm ci --omit=dev` installs, as the lock file says. What these import is found behind the links. */
async function linkPackages(): Promise<void> {
  const { packages } = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'))
  const names = Object.entries<{ readonly dev?: boolean }>(packages)
    .filter(([path, { dev }]) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && dev !== true)
    .map(([path]) => path)
    .filter(path => existsSync(join(root, path)))
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await symlink(join(root, name), join(folder, name))
  }
}

it('builds with these packages alone, and loads the Pulumi program', async () => {
  await linkPackages()
  const built = run('node', ['tools/build.ts'])
  expect(built, built.stderr).toMatchObject({ status: 0 })
  for (const bundle of ['server.js', 'worker.js', 'push.js', 'push-worker.js', 'clock-worker.js'])
    expect(existsSync(join(folder, 'build', bundle)), bundle).toBe(true)
  // As the CLI starts it, but without an engine.
  const stack = { PULUMI_CONFIG: '{}', PULUMI_NODEJS_PROJECT: 'homeport', PULUMI_NODEJS_STACK: 'dev' }
  expect(run('node', ['infra/index.js'], stack).stderr).toContain('homeport:zoneId is missing')
})

it('says what it lacks, and where that is', () => {
  expect(run('node', ['--require', './tools/node-version.cjs', 'demo/demo.ts'])).toMatchObject({
    status: 1,
    stderr:
      'demo/demo.ts is not in the archive of a release, which has only what deploys. Clone the repository with git to run it.\n',
  })
})
