import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { filesFor, readDifferently, writeFiles } from '../../infra/after-up/settings-files.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { root } from '../../tools/bundle.ts'
import { compileCache } from '../../tools/compile-cache.ts'
import { startProgram } from '../support/command.ts'
import { askCloudflare } from '../support/services.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { emulatedCli, runInProcess } from './support/commands.ts'
import { exported, resourcesWith } from './support/exported.ts'

/** Runs the command in a process of its own, which a shell prepares. Resolves to its end. */
const startAfterUp = (prepare: string, args: readonly string[], env: NodeJS.ProcessEnv) =>
  startProgram(
    '/bin/sh',
    ['-c', `${prepare}; exec "$@"`, 'sh', process.execPath, 'infra/after-up.ts', ...args],
    { PATH: emulatedCli, ...compileCache(), ...env },
    { cwd: root },
  ).ended
const afterUp = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runInProcess('afterUp', args, { PATH: emulatedCli, ...env })

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

it('a database gets its tables and the first employees, and no more after a step that fails', async () => {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const { cloudflare } = sandbox.description
  const { accountId, apiUrl, adminToken } = cloudflare
  const path = `/accounts/${accountId}/d1/database`
  const { uuid } = await askCloudflare<{ uuid: string }>(cloudflare, 'POST', path, { name: 'homeport-dev' })
  const run = (...args: readonly string[]) =>
    startAfterUp(':', args, {
      CLOUDFLARE_API_URL: apiUrl,
      CLOUDFLARE_API_TOKEN: adminToken,
      ANSWER_STATE: exported(resourcesWith({ databaseId: uuid }, { accountId })),
    })
  const first = await run('--employee', 'alice', '--admin', 'bob')
  // The log of the two changes, and nothing else.
  expect(first.stderr).toMatch(/^(\{.*"level":"info","event":"change",.*"change":"add"\}\n){2}$/)
  expect(first.status).toBe(0)
  expect(first.stdout).toMatch(/created table employees\.\n/)
  expect(first.stdout).toMatch(/^Added alice \(.*\)\.$/m)
  expect(first.stdout).toMatch(/^Added bob \(.*\) as an administrator\.$/m)
  expect(await run('--before')).toMatchObject({ status: 0, stdout: expect.stringContaining('up to date') })
  const failed = await run('--employee', 'a b', '--admin', 'carol')
  expect(failed.stderr).toMatch(/This step failed, so the rest was skipped\. Run it again without .*\.\n$/)
  expect(failed.stdout).not.toContain('carol')
  expect(failed.status).toBe(1)
})

it('without a database, there is nothing to migrate before pulumi up', async () => {
  const output = 'The stack has no database, so there are no tables to migrate.\n'
  expect(await afterUp(['--before'], { ANSWER_STATE: exported([]) })).toMatchObject({ status: 0, output })
})

it.each([
  ['an export that is not JSON', [], { ANSWER_STATE: 'x' }, 1, /other than a JSON object/],
  ['no database', [], { ANSWER_STATE: exported([]) }, 1, /no database\. Run pulumi up.*--settings DIR/],
  ['no pulumi', [], { PATH: '/nowhere' }, 1, /pulumi was not found/],
  ['a CLI that fails', [], {}, 1, /pulumi stack export failed\..* --stack/],
  ['no handler on a host', ['--settings', '.'], { ANSWER_SETTINGS: '' }, 1, /handlerSettings.*signIn: host/],
  ['options of both kinds', ['--settings', '.', '--admin', 'ada'], {}, 2, /can only be combined with/],
])('refuses %s', async (_, args, env, expected, message) => {
  const { status, problem } = await afterUp(args, env)
  expect(problem).toMatch(message)
  expect(status).toBe(expected)
})

const settings = {
  TENANT_ID: '11111111-2222-3333-4444-555555555555',
  CLIENT_ID: '66666666-7777-8888-9999-000000000000',
  CLIENT_SECRET: 'newer~"secret"$,older\\secret',
  CLIENT_SECRET_EXPIRES_ON: '2027-05-31,2027-02-28',
  REDIRECT_URI:
    'https://home.example.com/_homeport/auth/callback,https://files.example.com/_homeport/auth/callback',
  BASE_PATH: '/_homeport',
  REQUIRE_STATE: 'true',
  SESSION_KEYS: `first:${randomBytes(32).toString('base64url')}`,
  ALLOWED_DOMAINS: 'example.com',
  APP_NAME: 'Zeiterfassung-Büro',
}

describe('the settings of a host', () => {
  let directory: string
  beforeEach(async () => {
    directory = join(folder, 'homeport')
    await mkdir(directory, { mode: 0o700 })
  })

  const names = ['client-secret', 'homeport.env', 'session-keys']
  const read = (name: string) => readFile(join(directory, name), 'utf8')
  const look = (name: string) => stat(join(directory, name))
  /** Runs the command like `npm run after-up -- --settings DIR`. */
  async function write(change: Readonly<Record<string, unknown>> = {}, prepare?: string) {
    const env = { ANSWER_SETTINGS: JSON.stringify({ ...settings, ...change }) }
    const args = ['--settings', directory]
    if (prepare === undefined) return afterUp(args, env)
    const { status, stdout, stderr } = await startAfterUp(prepare, args, env)
    return { status, output: stdout, problem: stderr }
  }

  it('are the plain settings and the two credentials, readable by their owner only', async () => {
    await writeFile(join(directory, 'local.env'), 'PORT=8081\n', { mode: 0o640 })
    const own = await look('local.env')
    // What a run that was killed left, and permissions that somebody added.
    await writeFile(join(directory, 'client-secret.new'), 'x')
    await writeFile(join(directory, 'session-keys'), 'x', { mode: 0o644 })
    // A directory that others can list is one to write into: they cannot read the files.
    await chmod(directory, 0o755)
    const { status, output, problem } = await write({}, 'umask 0')
    expect({ status, problem }).toEqual({ status: 0, problem: '' })
    expect(output).toContain('as docs/operate.md says')
    expect(output).not.toMatch(/newer~|older|first:/)
    expect((await readdir(directory)).toSorted()).toEqual([...names, 'local.env'].toSorted())
    for (const name of names) expect((await look(name)).mode & 0o7777, name).toBe(0o600)
    expect(await read('client-secret')).toBe(`${settings.CLIENT_SECRET}\n`)
    expect(await read('session-keys')).toBe(`${settings.SESSION_KEYS}\n`)
    const { CLIENT_SECRET: _, SESSION_KEYS: __, ...plain } = settings
    const lines = (await read('homeport.env')).trim().split('\n')
    expect(lines[0]).toMatch(/^# .*local\.env/)
    expect(lines.slice(1).toSorted()).toEqual(
      Object.entries(plain)
        .map(([name, value]) => `${name}=${value}`)
        .toSorted(),
    )
    expect(await look('local.env')).toMatchObject({ ino: own.ino, mtimeMs: own.mtimeMs, mode: own.mode })
    await write({ CLIENT_SECRET: 'newest,newer~' })
    expect(await read('client-secret')).toBe('newest,newer~\n')
    const pem = '-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----\n'
    await write({ CLIENT_SECRET: undefined, CLIENT_CERTIFICATE: pem })
    expect(await read('client-certificate')).toBe(pem)
  })

  it('stay as they are if one cannot be written', async () => {
    await write()
    // No file can grow, as on a full disk.
    const full = "trap '' XFSZ; ulimit -f 0"
    const { status, problem } = await write({ CLIENT_SECRET: 'newest', APP_NAME: 'Other' }, full)
    expect(status).toBe(1)
    expect(problem).toMatch(/Could not write to .* \(EFBIG\)\./)
    expect((await readdir(directory)).toSorted()).toEqual(names)
    expect(await read('client-secret')).toBe(`${settings.CLIENT_SECRET}\n`)
  })

  it('have no value that readers would take apart, and are not written then', async () => {
    const { status, problem } = await write({
      APP_NAME: 'Employee system',
      LEGACY_LOGIN_URL: 'https://old.example.com/?a=1&b=2',
      ALLOWED_DOMAINS: '$(id)',
    })
    expect(status).toBe(1)
    expect(problem).toMatch(/^APP_NAME has " ".*pulumi config rm appName.*local\.env/m)
    expect(problem).toMatch(/^LEGACY_LOGIN_URL has "&"/m)
    expect(problem).toMatch(/^ALLOWED_DOMAINS has "\$"/m)
    expect(problem).not.toContain('$(id)')
    expect(problem).toContain('Nothing was written.')
    expect(await readdir(directory)).toEqual([])
  })

  it.each([
    ['a name that is no setting', { NODE_OPTIONS: '--require=x' }, /"NODE_OPTIONS", which no stack sets/],
    ["an operator's own setting", { PORT: '80' }, /"PORT", which no stack sets/],
    ['a secret on two lines', { CLIENT_SECRET: 'one\ntwo' }, /control character/],
    ['a missing secret', { SESSION_KEYS: undefined }, /lacks a secret/],
    ['a number', { SESSION_IDLE: 5 }, /"SESSION_IDLE", which no stack sets/],
  ])('are refused with %s', (_, change, message) => {
    expect(() => filesFor(JSON.stringify({ ...settings, ...change }))).toThrow(message)
  })

  it('have session keys that are one a line', () => {
    const files = filesFor(JSON.stringify({ ...settings, SESSION_KEYS: 'new:one\nold:two\n' }))
    expect(files['session-keys']).toBe('new:one\nold:two\n')
  })

  it('go into a directory that nobody else can write to', async () => {
    const refused = (path: string) =>
      expect(writeFiles(path, { one: '' })).rejects.toThrow(/is not a directory of yours.*install -d -m 700/)
    await refused(join(folder, 'none'))
    await writeFile(join(folder, 'file'), '')
    await refused(join(folder, 'file'))
    await symlink(directory, join(folder, 'link'))
    await refused(join(folder, 'link'))
    await chmod(directory, 0o770)
    await refused(directory)
    await chmod(directory, 0o700)
    if (process.geteuid?.() === 0) await chown(directory, 12_345, 12_345)
    await refused(process.geteuid?.() === 0 ? directory : '/')
  })

  it('replace a link in the place of a file, and not where it leads', async () => {
    await writeFile(join(folder, 'elsewhere'), 'kept')
    for (const name of ['homeport.env', 'homeport.env.new'])
      await symlink(join(folder, 'elsewhere'), join(directory, name))
    expect((await write()).status).toBe(0)
    expect(await readFile(join(folder, 'elsewhere'), 'utf8')).toBe('kept')
    expect(await read('homeport.env')).toContain('CLIENT_ID=')
  })
})

/** Every printable character of ASCII and a few others, at each place of a value that a reader may treat apart. */
const values = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
  ...['\t', '\n', '\r', '\u0001', '\u007f', '\u00a0', '\u2028', '\ufeff', 'é', 'ß', '漢', '😀'],
].flatMap(one => [one, `a${one}b`, `${one}b`, `a${one}`, `a:${one}b`])
const same = values.filter(value => !readDifferently.test(value))
const named = same.map((value, index) => [`N${index}`, value] as const)
/** An env file, as the command writes it. */
const file = ['# N0=in a comment', ...named.map(([name, value]) => `${name}=${value}`), ''].join('\n')
const printed = named.map(([name]) => `printf '%s\\036' "$${name}"`).join('\n')

/** Reads a file in a shell that finds no program. Returns the values. */
function readByShell(name: string): readonly string[] {
  const { stdout } = spawnSync('sh', ['-c', `PATH=/nowhere\n. ./${name}\n${printed}`], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: '/home/reader' },
    encoding: 'utf8',
  })
  return stdout.split('\u001e').slice(0, -1)
}

/** Reads environment.d(5) with the parser that systemd has for EnvironmentFile= as well. */
const systemd = '/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator'
const hasSystemd = existsSync(systemd)

describe('a value that is written as it is', () => {
  it('is read alike by a shell', async () => {
    // Fewer would refuse a value that every reader takes as it is.
    expect(same.length).toBe(422)
    await writeFile(join(folder, 'all.env'), file)
    expect(readByShell('all.env')).toEqual(same)
  })

  it.skipIf(!hasSystemd)(
    `is read alike by systemd${hasSystemd ? '' : ' (systemd is not installed)'}`,
    async () => {
      await mkdir(join(folder, 'environment.d'))
      await writeFile(join(folder, 'environment.d/all.conf'), file)
      const { stdout } = spawnSync(systemd, { env: { XDG_CONFIG_HOME: folder }, encoding: 'utf8' })
      // It prints special characters in the quotes of a shell.
      await writeFile(join(folder, 'shown.env'), stdout)
      expect(readByShell('shown.env')).toEqual(same)
    },
  )
})
