import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { planFiles, writeFiles } from '../../infra/settings-files.ts'
import { freshBundle } from '../../tools/bundle.ts'
import { compileCache } from '../../tools/compile-cache.ts'
import { freePort } from '../../tools/free-port.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const names = ['client-secret', 'homeport.env', 'session-keys']
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

let folder: string
let directory: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-settings-'))
  directory = join(folder, 'homeport')
  await mkdir(directory, { mode: 0o700 })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

interface Call {
  readonly args?: readonly string[]
  /** The stack's outputs; null for those of the emulated CLI. */
  readonly outputs?: unknown
  readonly env?: Readonly<Record<string, string>>
  /** Runs first, in the shell that becomes the command. */
  readonly prepare?: string
}

/** Runs the command like `npm run after-up -- --settings DIR`. */
async function write(change: Readonly<Record<string, unknown>> = {}, call: Call = {}) {
  const { args = ['--settings', directory], env = {}, prepare = ':' } = call
  const { outputs = { handlerSettings: JSON.stringify({ ...settings, ...change }) } } = call
  const given = outputs === null ? [] : ['--outputs', '-']
  const script = `${prepare}; exec "$@"`
  const command = [process.execPath, 'infra/after-up.ts', ...given, ...args]
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...command], {
    cwd: root,
    env: { PATH: '/nowhere', ...compileCache(), ...env },
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(typeof outputs === 'string' ? outputs : JSON.stringify(outputs))
  const [[status], output, problem] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr),
  ])
  for (const printed of [output, problem])
    for (const secret of ['newer~', 'older\\', settings.SESSION_KEYS]) expect(printed).not.toContain(secret)
  return { status, output, problem }
}

const read = (name: string) => readFile(join(directory, name), 'utf8')
const look = (name: string) => stat(join(directory, name))

describe('npm run after-up -- --settings', () => {
  it('writes the plain settings and the two credentials, readable by their owner only', async () => {
    await writeFile(join(directory, 'local.env'), 'PORT=8081\n', { mode: 0o640 })
    const own = await look('local.env')
    // What a run that was killed left.
    await writeFile(join(directory, '.client-secret.0123456789ab.new'), 'x')
    const { status, output, problem } = await write({}, { prepare: 'umask 0' })
    expect(problem).toBe('')
    expect(status).toBe(0)
    expect(output).toContain('systemctl restart homeport-sign-in')
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
  })

  it('replaces only what differs, and says when nothing does', async () => {
    await write()
    const before = await Promise.all(names.map(look))
    // The order of the names says nothing.
    const reversed = Object.fromEntries(Object.entries(settings).toReversed())
    const again = await write({}, { outputs: { handlerSettings: reversed } })
    expect(again).toMatchObject({ status: 0, output: expect.stringContaining('Nothing has changed') })
    expect(again.output).not.toContain('restart')
    expect((await Promise.all(names.map(look))).map(({ ino }) => ino)).toEqual(before.map(({ ino }) => ino))

    const change = { CLIENT_SECRET: 'newest,newer~', CLIENT_SECRET_EXPIRES_ON: '2027-11-30,2027-05-31' }
    const shown = await write(change, { args: ['--settings', directory, '--dry-run'] })
    expect(shown.output).toContain(`Would write ${directory}/client-secret.`)
    expect(await read('client-secret')).toBe(`${settings.CLIENT_SECRET}\n`)
    const { output } = await write(change)
    expect(output).toContain(`${directory}/homeport.env: CLIENT_SECRET_EXPIRES_ON changed.`)
    expect(output).toContain(`${directory}/session-keys is up to date.`)
    const after = await Promise.all(names.map(look))
    expect(after.map(({ ino }, index) => ino === before[index]?.ino)).toEqual([false, false, true])
    expect(await read('client-secret')).toBe('newest,newer~\n')
  })

  it('takes away permissions that somebody added', async () => {
    await write()
    await chmod(join(directory, 'session-keys'), 0o644)
    const { output } = await write()
    expect(output).toContain(`Wrote ${directory}/session-keys: only you can read it now.`)
    expect((await look('session-keys')).mode & 0o7777).toBe(0o600)
  })

  it('asks pulumi for this output only', async () => {
    const env = {
      PATH: join(root, 'test/infra/fixtures/bin'),
      ANSWER_SETTINGS: JSON.stringify(settings),
    }
    expect(await write({}, { outputs: null, env })).toMatchObject({ status: 0, problem: '' })
    expect(await read('client-secret')).toBe(`${settings.CLIENT_SECRET}\n`)
    const missing = await write({}, { outputs: null, env: { ...env, ANSWER_SETTINGS: '' } })
    expect(missing).toMatchObject({ status: 1, problem: expect.stringContaining('signIn: host') })
  })

  it('changes no file if one cannot be written', async () => {
    await write()
    const { status, problem } = await write(
      { CLIENT_SECRET: 'newest', APP_NAME: 'Other' },
      // No file can grow, as on a full disk.
      { prepare: "trap '' XFSZ; ulimit -f 0" },
    )
    expect(status).toBe(1)
    expect(problem).toMatch(/Could not write to .* \(EFBIG\)\. No file was changed\./)
    expect((await readdir(directory)).toSorted()).toEqual(names)
    expect(await read('client-secret')).toBe(`${settings.CLIENT_SECRET}\n`)
  })

  it('refuses all values that readers would take apart, and writes nothing', async () => {
    const { status, problem } = await write({
      APP_NAME: 'Employee system',
      LEGACY_LOGIN_URL: 'https://old.example.com/?a=1&b=2',
      ALLOWED_DOMAINS: '$(id)',
    })
    expect(status).toBe(1)
    expect(problem).toMatch(/^APP_NAME has a space.*`pulumi config rm appName`.*local\.env/m)
    expect(problem).toMatch(/^LEGACY_LOGIN_URL has one of & /m)
    expect(problem).toMatch(/^ALLOWED_DOMAINS has a dollar sign/m)
    expect(problem).not.toContain('$(id)')
    expect(problem).toContain('Nothing was written.')
    expect(await readdir(directory)).toEqual([])
  })

  it.each([
    ['a name that is no setting', { NODE_OPTIONS: '--require=x' }, /NODE_OPTIONS, which is not a setting/],
    ['a line in a name', { 'A=1\nB': 'x' }, /a name that is none, which is not a setting/],
    ["an operator's own setting", { PORT: '80' }, /PORT, which belongs in your own local\.env/],
    ['a secret on two lines', { CLIENT_SECRET: 'one\ntwo' }, /^CLIENT_SECRET has a control character/m],
    ['a missing secret', { SESSION_KEYS: undefined }, /has no SESSION_KEYS/],
    ['a number', { SESSION_IDLE: 5 }, /not a JSON object of texts/],
  ])('refuses %s', (_, change, message) => {
    const plan = planFiles(JSON.stringify({ ...settings, ...change }))
    expect('problems' in plan && plan.problems).toEqual([expect.stringMatching(message)])
  })

  it.each([
    ['masked outputs', { handlerSettings: '[secret]' }, [], 1, /--show-secrets/],
    ['outputs without it', { recordId: 'x' }, [], 1, /no output handlerSettings.*signIn: host/],
    ['outputs that are not JSON', 'no JSON', [], 1, /not JSON/],
    ['settings that are not JSON', { handlerSettings: '{' }, [], 1, /not a JSON object/],
    ['an option for a database', {}, ['--admin', 'ada'], 2, /cannot be combined with --admin/],
  ])('refuses %s', async (_, outputs, args, status, message) => {
    const ended = await write({}, { outputs, args: ['--settings', directory, ...args] })
    expect(ended.problem).toMatch(message)
    expect(ended.status).toBe(status)
  })

  it('says without --settings that the handler of this stack is on a host', async () => {
    const { status, problem } = await write({}, { args: [] })
    expect(status).toBe(1)
    expect(problem).toContain('npm run after-up -- --settings DIR')
  })
})

it('keeps session keys that are one a line', () => {
  const plan = planFiles({ ...settings, SESSION_KEYS: 'new:one\nold:two\n' })
  expect('value' in plan && plan.value).toContainEqual({ name: 'session-keys', text: 'new:one\nold:two\n' })
})

describe('a directory for the settings', () => {
  const plan = planFiles(settings)
  const files = 'value' in plan ? plan.value : []
  const refused = (path: string, message: RegExp) =>
    expect(writeFiles(path, files, false)).rejects.toThrow(message)

  it('must exist', () => refused(join(folder, 'none'), /does not exist\. Create it with `install -d -m 700 /))
  it('is no file', async () => {
    await writeFile(join(folder, 'file'), '')
    await refused(join(folder, 'file'), /is not a directory/)
  })
  it('is no link, with a slash or without', async () => {
    await symlink(directory, join(folder, 'link'))
    await refused(`${join(folder, 'link')}/`, /is a symbolic link/)
  })
  it('belongs to who writes it', async () => {
    const isRoot = process.geteuid?.() === 0
    if (isRoot) await chown(directory, 12_345, 12_345)
    await refused(isRoot ? directory : '/', /belongs to another user/)
  })
  it('can be written by nobody else', async () => {
    await chmod(directory, 0o770)
    await refused(directory, /Other users can write to .*chmod 700/)
  })
  it('can be listed by others, with a warning', async () => {
    await chmod(directory, 0o755)
    const { status, problem } = await write()
    expect(problem).toMatch(/^Warning: Other users can list .* cannot read/)
    expect(status).toBe(0)
  })
  it('has no link in the place of a file', async () => {
    await writeFile(join(folder, 'elsewhere'), 'kept')
    await symlink(join(folder, 'elsewhere'), join(directory, 'homeport.env'))
    await refused(directory, /homeport\.env is a symbolic link\. Remove it/)
    expect(await readFile(join(folder, 'elsewhere'), 'utf8')).toBe('kept')
    expect(await readdir(directory)).toEqual(['homeport.env'])
  })
})

it('the server starts with the files, read by a shell', async () => {
  // With one host, the server answers on loopback, too.
  await write({ REDIRECT_URI: 'https://home.example.com/_homeport/auth/callback' })
  const own = `DATABASE_URL=postgresql://nobody@127.0.0.1:${await freePort()}/none\nPORT=0\nTRUSTED_PROXIES=127.0.0.1\n`
  await writeFile(join(directory, 'local.env'), own)
  const script = 'set -a; . ./homeport.env; . ./local.env; exec "$@"'
  const child = spawn('/bin/sh', ['-c', script, 'sh', process.execPath, freshBundle('server')], {
    cwd: directory,
    env: {
      ...compileCache(),
      CLIENT_SECRET_FILE: join(directory, 'client-secret'),
      SESSION_KEYS_FILE: join(directory, 'session-keys'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let log = ''
  try {
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      log += chunk
      const [, url] = /Listening on (http:[^"]+)/.exec(log) ?? []
      if (url === undefined) continue
      const page = await fetch(`${url}/_homeport/`)
      expect(await page.text()).toContain('Zeiterfassung-Büro')
      return
    }
    throw new Error(`The server did not start:\n${log}`)
  } finally {
    child.kill('SIGKILL')
  }
})
