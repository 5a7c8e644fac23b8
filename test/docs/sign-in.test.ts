import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { freePort } from '../../tools/free-port.ts'
import { type Postgres, startPostgres } from '../../tools/postgres.ts'
import { writeHostArchive } from '../../tools/release.ts'
import { bundleServer } from '../../tools/server.ts'
import { hasSystemd, quoteForUnit, verifyUnit } from '../support/systemd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type Block, blocksIn, leftOut, runnable, shellBlocksOf, stackSections } from './page.ts'

const page = 'docs/sign-in.md'
const pages = [page, 'docs/employees.md', 'docs/operate.md', 'docs/sign-in-reference.md']
const unitFile = 'docs/sign-in/homeport-sign-in.service'

/** Texts of the blocks that were run. */
const ran = new Set<string>()
let postgres: Postgres
let admin: URL
let work: string

beforeAll(async () => {
  postgres = await startPostgres('postgres')
  admin = new URL(await postgres.createDatabase('hr'))
  work = temporaryFolder()
})
afterAll(async () => {
  await postgres?.close()
})

/** A machine to install on: a folder in place of `/`, and an environment that lasts from one command to the next. */
interface Machine {
  readonly folder: string
  /** Runs a block of commands, without those that cannot run here. */
  run(block: Block | undefined, stdin?: string): string
  /** Runs the SQL of a block as the superuser. */
  sql(block: Block | undefined, database: string): Promise<void>
}

async function machine(database: string): Promise<Machine> {
  const folder = temporaryFolder()
  const server = join(folder, 'server.js')
  await bundleServer(server)
  await writeHostArchive(join(folder, 'homeport-host.tar.gz'), server)
  const moved = (text: string) =>
    text
      .replaceAll('/opt/homeport', `${folder}/opt/homeport`)
      .replaceAll('/etc/homeport', `${folder}/etc/homeport`)
      .replaceAll('127.0.0.1/homeport', `127.0.0.1:${admin.port}/${database}`)
  return {
    folder,
    run(block, stdin = '') {
      const env = {
        PATH: `${process.execPath.replace(/\/node$/, '')}:${process.env['PATH']}`,
        DATABASE_URL_FILE: `${folder}/etc/homeport/database-url`,
      }
      if (block) ran.add(block.text)
      const script = moved(block ? runnable(block) : '')
      const done = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
        cwd: folder,
        env,
        input: stdin,
        encoding: 'utf8',
      })
      expect(done, script).toMatchObject({ status: 0 })
      return done.stdout
    },
    async sql(block, into) {
      const client = new pg.Client({
        connectionString: Object.assign(new URL(admin), { pathname: `/${into}` }).href,
      })
      await client.connect()
      // One by one: a database cannot be created beside other statements.
      for (const statement of (block?.text ?? '').split(/;$/m)) {
        if (statement.trim() !== '') await client.query(statement)
      }
      await client.end()
    },
  }
}

/** Starts the server as the unit file says, and returns what `/healthz` answers. */
async function health({ folder }: Machine, edit = (unit: string) => unit): Promise<number> {
  const unit = edit(await readFile(join(root, unitFile), 'utf8'))
  const values = (name: string) =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)
  const credentials = new Map(values('LoadCredential').map(value => value.split(':') as [string, string]))
  const env: Record<string, string> = {}
  const files = values('EnvironmentFile').map(path =>
    readFileSync(`${folder}${path.replace(/^-/, '')}`, 'utf8'),
  )
  for (const line of [...values('Environment'), ...files.flatMap(text => text.trim().split('\n'))]) {
    const [name = '', value = ''] = line.split(/=(.*)/s)
    env[name] = value.replace(/^%d\/(.+)$/, (_, id: string) => `${folder}${credentials.get(id)}`)
  }
  const port = await freePort()
  const [, script = ''] = /^\/usr\/bin\/node (.+)$/.exec(values('ExecStart')[0] ?? '') ?? []
  const child = spawn(process.execPath, [`${folder}${script}`], {
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  try {
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      log += chunk
      if (log.includes('"Listening on '))
        return (await fetch(`http://127.0.0.1:${port}${env['BASE_PATH']}/healthz`)).status
    }
    throw new Error(`The server did not start:\n${log}`)
  } finally {
    child.kill('SIGKILL')
  }
}

describe('the installation on a host', () => {
  const blocks = blocksIn(page, '## Install on a host')
  const [install, secrets, tables] = blocks.filter(({ language }) => language === 'sh')
  const [own, hr] = blocks.filter(({ language }) => language === 'sql')
  const [settings, local] = blocks.filter(({ language }) => language === 'ini')
  async function writeSettings({ folder }: Machine): Promise<void> {
    await writeFile(join(folder, 'etc/homeport/homeport.env'), settings?.text ?? '')
    await writeFile(join(folder, 'etc/homeport/local.env'), local?.text ?? '')
  }

  it('works command by command, with a database of its own', async () => {
    const here = await machine('homeport')
    expect(here.run(install)).toContain('start the sign-in handler')
    await here.sql(own, 'postgres')
    here.run(secrets, 'a-client-secret\n')
    await writeSettings(here)
    expect(here.run(tables)).toContain('created table employees')
    const [bind] = blocksIn('docs/employees.md', '## The first administrator')
    const add = 'node /opt/homeport/server.js employees add alice --admin\n'
    here.run({ language: 'sh', text: add, notRun: [] })
    expect(here.run(bind)).toMatch(
      /alice\t.*active, administrator\tbound to 00000000-0000-4000-8000-000000000000/,
    )
    expect(await health(here)).toBe(200)
    const [upgrade, rollBack] = blocksIn('docs/operate.md', '## Upgrade a host')
    const [, restore] = blocksIn('docs/operate.md', '## Back up and restore PostgreSQL')
    expect(here.run(upgrade)).toContain('the tables are up to date')
    here.run(rollBack)
    const [certificate, lines] = blocksIn('docs/sign-in-reference.md', '## Without a client secret')
    here.run(certificate)
    const secretLines = /^LoadCredential=client-secret:.*\n|^Environment=CLIENT_SECRET_FILE=.*\n/gm
    const edit = (unit: string) =>
      unit.replace(secretLines, '').replace('[Service]\n', `[Service]\n${lines?.text}\n`)
    expect(await health(here, edit)).toBe(200)
    const keys = join(here.folder, 'etc/homeport/session-keys')
    const before = await readFile(keys, 'utf8')
    const [rotation] = blocksIn('docs/operate.md', '## Rotate the session key')
    here.run(rotation)
    expect(await readFile(keys, 'utf8')).not.toBe(before)
    expect(await health(here, edit)).toBe(200)
    const rotated = await readFile(keys, 'utf8')
    here.run(restore)
    expect(await readFile(keys, 'utf8')).not.toBe(rotated)
  })

  it('works with a view of HR’s table, in a schema of its own', async () => {
    const schema = [
      'DROP DATABASE IF EXISTS homeport;',
      'DROP ROLE IF EXISTS homeport;',
      'CREATE SCHEMA hr;',
      'CREATE TABLE hr.people (personnel_number int PRIMARY KEY, login text, employed boolean, administrator boolean);',
      "INSERT INTO hr.people VALUES (7, 'ada', true, true);",
    ]
    const here = await machine('hr')
    here.run(install)
    await here.sql({ language: 'sql', text: schema.join('\n'), notRun: [] }, 'hr')
    await here.sql(hr, 'hr')
    here.run(secrets, 'a-client-secret\n')
    await writeSettings(here)
    const text = tables?.text.replaceAll('migrate', 'migrate --existing-employees') ?? ''
    expect(here.run({ language: 'sh', text, notRun: [] })).toContain(
      'ada\t7\tactive, administrator\tnot bound',
    )
    expect(await health(here)).toBe(200)
  })

  it('reads its own settings after those of a stack, and starts without them', async () => {
    const unit = await readFile(join(root, unitFile), 'utf8')
    expect(unit.match(/^EnvironmentFile=.*$/gm)).toEqual([
      'EnvironmentFile=/etc/homeport/homeport.env',
      'EnvironmentFile=-/etc/homeport/local.env',
    ])
  })

  it.skipIf(!hasSystemd)(
    `uses a unit that systemd accepts${hasSystemd ? '' : ' (systemd-analyze is not installed)'}`,
    async () => {
      const text = await readFile(join(root, unitFile), 'utf8')
      const file = join(work, 'homeport-sign-in.service')
      const verify = async (unit: string) => {
        await writeFile(file, unit.replace('/usr/bin/node', quoteForUnit(process.execPath)))
        return verifyUnit(file)
      }
      expect(await verify(text)).toMatchObject({ status: 0, stderr: '' })
      expect((await verify(text.replace('ProtectHome=yes', 'ProtectHomes=yes'))).stderr).toContain(
        'ProtectHomes',
      )
    },
  )
})

it.each(pages)('%s has no command that the tests leave out', page => {
  const others = page === 'docs/operate.md' ? stackSections.flatMap(heading => blocksIn(page, heading)) : []
  const texts = others.map(({ text }) => text)
  const blocks = shellBlocksOf(page).filter(({ text }) => !texts.includes(text))
  expect(leftOut(page, ran, blocks)).toEqual([])
})
