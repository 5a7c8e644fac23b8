import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../tools/free-port.ts'
import { bundleServer } from '../../tools/server.ts'
import { blocksIn } from './page.ts'

/**
 * The folder of an installed PostgreSQL, server and tools: `pg_dump` refuses a server that is newer than itself, as the one
 * in node_modules may be, which comes without tools.
 */
const installed = [
  ...(process.env['PATH'] ?? '').split(delimiter),
  ...globSync('/usr/lib/postgresql/*/bin'),
].find(folder =>
  ['initdb', 'postgres', 'pg_dump', 'pg_restore'].every(name => existsSync(join(folder, name))),
)

/** PostgreSQL refuses to run as root, so root runs it as another user. */
function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout || '65534')
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** Runs a server of the installed PostgreSQL while `use` runs, which gets the URL of an empty database. */
async function withServer(bin: string, use: (url: string) => Promise<void>): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'homeport-cluster-'))
  const user = unprivileged()
  if (user.uid !== undefined && user.gid !== undefined) chownSync(data, user.uid, user.gid)
  const flags = ['-D', data, '--username=homeport', '--auth=trust', '--encoding=UTF8', '--no-sync']
  const made = spawnSync(join(bin, 'initdb'), flags, { ...user, cwd: '/', encoding: 'utf8' })
  expect(made, made.stderr).toMatchObject({ status: 0 })
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', 'fsync=off', 'unix_socket_directories=']
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap(setting => ['-c', setting])],
    { ...user, cwd: '/', stdio: 'ignore' },
  )
  try {
    const url = `postgresql://homeport@127.0.0.1:${port}`
    await expect
      .poll(() => query(`${url}/postgres`, 'CREATE DATABASE homeport'), { timeout: 20_000 })
      .toBe('done')
    await use(`${url}/homeport`)
  } finally {
    server.kill('SIGINT')
    await once(server, 'exit')
    await rm(data, { recursive: true, force: true })
  }
}

async function query(url: string, sql: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    await client.query(sql)
    return 'done'
  } catch (error) {
    return String(error)
  } finally {
    await client.end().catch(() => {})
  }
}

describe('a backup', () => {
  const reason = installed ? '' : ' (no PostgreSQL with its tools is installed here)'

  it.skipIf(!installed)(`brings back what the database held when it was made${reason}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'homeport-backup-'))
    const program = join(folder, 'server.js')
    const secret = join(folder, 'database-url')
    /** Runs commands of the page, or like them, on a machine whose files are in the folder. */
    const run = (commands: string): string => {
      const script = commands.replaceAll('/opt/homeport', folder).replaceAll('/etc/homeport', folder)
      const done = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
        cwd: folder,
        encoding: 'utf8',
        env: {
          PATH: [installed, dirname(process.execPath), process.env['PATH']].join(delimiter),
          DATABASE_URL_FILE: secret,
        },
      })
      expect(done, `${script}\n${done.stderr}`).toMatchObject({ status: 0 })
      return done.stdout
    }
    const employees = (command: string) => run(`node ${program} employees ${command}`)
    try {
      await bundleServer(program)
      await withServer(installed ?? '', async url => {
        await writeFile(secret, `${url}\n`, { mode: 0o600 })
        const [, backUp, restore] = blocksIn('docs/sign-in.md', '## Upgrade, back up, restore')
        const isService = /^systemctl .*\n/gm
        employees('migrate')
        await writeFile(join(folder, 'staff.csv'), 'id,user_name,is_admin\n7,ada,true\n8,bob,false\n')
        expect(employees('import staff.csv')).toMatch(/2/)
        run(backUp?.text ?? '')
        employees('deactivate bob')
        employees('add mallory')
        const keys = join(folder, 'session-keys')
        run(restore?.text.replace(isService, '') ?? '')
        const list = employees('list')
        expect(list).toMatch(/ada\s+7\s+active, administrator/)
        expect(list).toMatch(/bob\s+8\s+active/)
        expect(list).not.toContain('mallory')
        expect(employees('check')).toMatch(/can be used/)
        expect(await readFile(keys, 'utf8')).toMatch(/^\S+:\S{43}\n$/)
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
