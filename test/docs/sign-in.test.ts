import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Entra } from '../../sandbox/testing/entra.ts'
import { root } from '../../tools/bundle.ts'
import { freePort } from '../../tools/free-port.ts'
import { type Postgres, startPostgres } from '../../tools/postgres.ts'
import { writeHostArchive } from '../../tools/release.ts'
import { bundleServer } from '../../tools/server.ts'
import { startNode } from '../support/command.ts'
import { preload } from '../support/host.ts'
import { hasSystemd, quoteForUnit, verifyUnit } from '../support/systemd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { blocksIn, leftOut, shellBlocksOf, stackSections } from './page.ts'
import { Terminal } from './terminal.ts'

const page = 'docs/sign-in.md'
const pages = [page, 'docs/manage-employees.md', 'docs/operate.md', 'docs/sign-in-reference.md']
const unitFile = 'docs/sign-in/homeport-sign-in.service'

let postgres: Postgres
let admin: URL
let entra: Entra
const zeros = '00000000-0000-0000-0000-000000000000'
/** In place of the page's. */
const objectId = randomUUID()

beforeAll(async () => {
  entra = await Entra.start({ redirectUris: ['https://people.example.com/_homeport/auth/callback'] })
  postgres = await startPostgres('postgres')
  admin = new URL(await postgres.createDatabase('hr'))
})
afterAll(async () => {
  await postgres?.close()
  await entra?.close()
})

/** Opens a terminal on a machine to install on, with a folder in place of `/` and a database in place of `homeport`. */
async function openMachine(database: string): Promise<Terminal> {
  const terminal: Terminal = await Terminal.open({
    programs: { systemctl: '[[ "$*" =~ ^(start|stop|restart)\\ homeport-sign-in$ ]]' },
    fill: text =>
      text
        .replaceAll('00000000-0000-4000-8000-000000000000', objectId)
        .replaceAll(/\/(opt|etc)\/homeport/g, `${terminal.folder}$&`)
        .replaceAll('127.0.0.1/homeport', `127.0.0.1:${admin.port}/${database}`),
  })
  const server = join(terminal.folder, 'server.js')
  await bundleServer(server)
  await writeHostArchive(join(terminal.folder, 'homeport-host.tar.gz'), server)
  return terminal
}

/** Runs SQL as the superuser. */
async function query(sql: string | undefined, database: string): Promise<void> {
  const url = Object.assign(new URL(admin), { pathname: `/${database}` })
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  // One by one: a database cannot be created beside other statements.
  for (const statement of (sql ?? '').split(/;$/m)) if (statement.trim() !== '') await client.query(statement)
  await client.end()
}

/** Starts the server as the unit file says, and returns what `/healthz` answers. */
async function health(
  { folder }: Terminal,
  edit = (unit: string) => unit,
  act: () => Promise<unknown> = async () => undefined,
): Promise<number> {
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
  const server = startNode([`${folder}${script}`], { ...env, PORT: String(port) })
  try {
    await server.printed(/"Listening on /)
    await act()
    return (await fetch(`http://127.0.0.1:${port}${env['BASE_PATH']}/healthz`)).status
  } finally {
    server.process.kill('SIGKILL')
  }
}

describe('the installation on a host', () => {
  const blocks = blocksIn(page, '## Install on a host')
  const [install, secrets, tables, bind, , check] = blocks.filter(({ language }) => language === 'sh')
  const [own, hr] = blocks.filter(({ language }) => language === 'sql')
  const [settings, local] = blocks.filter(({ language }) => language === 'ini')
  async function writeSettings({ folder }: Terminal): Promise<void> {
    const { tenantId, clientId, instance, graphUrl } = entra.description
    const [first, second] = (settings?.text ?? '').split('CLIENT_ID=')
    const ids = [first?.replace(zeros, tenantId), second?.replace(zeros, clientId)].join('CLIENT_ID=')
    await writeFile(join(folder, 'etc/homeport/homeport.env'), ids)
    const here = `INSTANCE=${instance}\nGRAPH_URL=${graphUrl}\n`
    await writeFile(join(folder, 'etc/homeport/local.env'), (local?.text ?? '') + here)
  }

  it('works command by command, with a database of its own', async () => {
    const here = await openMachine('homeport')
    expect(await here.enter(install)).toContain('start the sign-in handler')
    await query(own?.text, 'postgres')
    await here.enter(secrets, `${entra.description.clientSecret}\n`)
    await writeSettings(here)
    expect(await here.enter(tables)).toContain('created table employees')
    await here.must('node /opt/homeport/server.js employees add alice --admin')
    const bound = new RegExp(`alice\t.*active, administrator\tbound to ${objectId}`)
    expect(await here.enter(bind)).toMatch(bound)
    expect(
      await health(here, undefined, async () => {
        // Nothing listens for this host, which no test may reach.
        const noProxy = preload(
          'import dns from "node:dns"; import { syncBuiltinESMExports } from "node:module"; dns.lookup = (name, options, done) => done(Object.assign(new Error(), { code: "ENOTFOUND" })); syncBuiltinESMExports()',
        )
        await here.must(`export NODE_OPTIONS='${noProxy.NODE_OPTIONS}'`)
        const output = await here.enter(check)
        expect(output).toMatch(
          /^ok +redirect URI https:\/\/people\.example\.com\/_homeport\/auth\/callback: /m,
        )
        expect(output).toMatch(/^ok +clock: This machine is \d+ s (ahead of|behind) Entra\.$/m)
        expect(output).toMatch(/^0 wrong, 9 ok, 3 not checked\. The protection was not checked\.$/m)
        await here.must('unset NODE_OPTIONS')
      }),
    ).toBe(200)
    const [upgrade, rollBack] = blocksIn('docs/operate.md', '## Upgrade a host')
    expect(await here.enter(upgrade)).toContain('the tables are up to date')
    await here.enter(rollBack)
    const [certificate, lines] = blocksIn('docs/sign-in-reference.md', '## Without a client secret')
    await here.enter(certificate)
    const secretLines = /^LoadCredential=client-secret:.*\n|^Environment=CLIENT_SECRET_FILE=.*\n/gm
    const edit = (unit: string) =>
      unit.replace(secretLines, '').replace('[Service]\n', `[Service]\n${lines?.text}\n`)
    expect(await health(here, edit)).toBe(200)
    const keys = join(here.folder, 'etc/homeport/session-keys')
    const before = await readFile(keys, 'utf8')
    const [rotation] = blocksIn('docs/operate.md', '## Rotate the session key')
    await here.enter(rotation)
    expect(await readFile(keys, 'utf8')).not.toBe(before)
    expect(await health(here, edit)).toBe(200)
  })

  it('works with a view of HR’s table, in a schema of its own', async () => {
    const here = await openMachine('hr')
    await here.enter(install)
    await query(
      `DROP DATABASE IF EXISTS homeport;
DROP ROLE IF EXISTS homeport;
CREATE SCHEMA hr;
CREATE TABLE hr.people (personnel_number int PRIMARY KEY, login text, employed boolean, administrator boolean);
INSERT INTO hr.people VALUES (7, 'ada', true, true);
${hr?.text}`,
      'hr',
    )
    await here.enter(secrets, `${entra.description.clientSecret}\n`)
    await writeSettings(here)
    const withView = tables?.text.replaceAll('migrate', 'migrate --existing-employees') ?? ''
    expect(await here.must(withView)).toContain('ada\t7\tactive, administrator\tnot bound')
    expect(await health(here)).toBe(200)
    const leaving = /`(COALESCE\(leaves_on[^`]+)`/.exec(await readFile(join(root, page), 'utf8'))?.[1] ?? ''
    await query(
      `ALTER TABLE hr.people ADD COLUMN leaves_on date;
INSERT INTO hr.people VALUES (8, 'bob', true, false, current_date), (9, 'eve', true, false, current_date + 1);
${hr?.text
  .match(/CREATE VIEW[^;]+/)?.[0]
  .replace('CREATE', 'CREATE OR REPLACE')
  .replace('employed AS is_active', leaving)}`,
      'hr',
    )
    expect(await here.must('node /opt/homeport/server.js employees list')).toMatch(
      /ada\t7\tactive[\s\S]*bob\t8\tinactive[\s\S]*eve\t9\tactive/,
    )
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
      const file = join(temporaryFolder(), 'homeport-sign-in.service')
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
  const others = (stackSections[page] ?? []).flatMap(heading => blocksIn(page, heading))
  const texts = others.map(({ text }) => text)
  const blocks = shellBlocksOf(page).filter(({ text }) => !texts.includes(text))
  expect(leftOut(page, blocks)).toEqual([])
})
