import { existsSync, globSync } from 'node:fs'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startPostgres } from '../../tools/postgres.ts'
import { bundleServer } from '../../tools/server.ts'
import { blocksIn } from './page.ts'
import { Terminal } from './terminal.ts'

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
const reason = installed ? '' : ' (no PostgreSQL with its tools is installed here)'

it.skipIf(!installed)(
  `the commands for a host upgrade the tables, go back a version, and bring back what a backup held${reason}`,
  async () => {
    const postgres = await startPostgres('homeport', installed)
    onTestFinished(() => postgres.close())
    const url = await postgres.createDatabase('homeport')
    const { password, port } = new URL(url)
    const terminal: Terminal = await Terminal.open({
      env: {
        PATH: [installed, dirname(process.execPath), process.env['PATH']].join(delimiter),
        PGPORT: port,
      },
      // A machine whose files are in the folder, without systemd.
      fill: text =>
        text
          .replace(/^systemctl .*\n/gm, '')
          .replaceAll(/\/(opt|etc)\/homeport/g, terminal.folder)
          .replaceAll('choose-one', password),
    })
    const program = join(terminal.folder, 'server.js')
    const employees = (command: string) => terminal.must(`node /opt/homeport/server.js employees ${command}`)
    await bundleServer(program)
    await writeFile(join(terminal.folder, 'database-url'), `${url}\n`, { mode: 0o600 })
    const [upgrade, rollBack] = blocksIn('docs/operate.md', '## Upgrade a host')
    const [backUp, restore] = blocksIn('docs/operate.md', '## Back up and restore PostgreSQL')
    await terminal.must('export DATABASE_URL_FILE=/etc/homeport/database-url')
    await employees('migrate')
    await employees('add grace')
    // Tables of an earlier version, and the new file beside the installed one.
    await terminal.must(`psql --quiet '${url}' --command 'DROP TABLE homeport_audit' \\
      --command 'DELETE FROM homeport_migrations WHERE version = 2'
      mkdir download && cd download`)
    await copyFile(program, join(terminal.folder, 'download/server.js'))
    const previous = `${await readFile(program, 'utf8')}// The previous version.\n`
    await writeFile(program, previous)
    // `check` fails, since it names the missing table.
    const steps = upgrade?.text.replace(/ employees check$/m, '$& || true') ?? ''
    expect(await terminal.must(steps)).toMatch(
      /migrate has not created table homeport_audit\.[\s\S]*: created table homeport_audit\./,
    )
    expect(await readFile(program, 'utf8')).not.toBe(previous)
    await terminal.must(rollBack?.text ?? '')
    expect(await readFile(program, 'utf8')).toBe(previous)
    expect(await employees('check')).toMatch(/can be used/)
    await writeFile(
      join(terminal.folder, 'download/staff.csv'),
      'id,user_name,is_admin\n7,ada,true\n8,bob,false\n',
    )
    expect(await employees('import staff.csv')).toMatch(/2/)
    await terminal.must(backUp?.text ?? '')
    await employees('deactivate bob')
    await employees('add mallory')
    await terminal.must(restore?.text ?? '')
    const list = await employees('list')
    expect(list).toMatch(/ada\s+7\s+active, administrator/)
    expect(list).toMatch(/bob\s+8\s+active/)
    expect(list).not.toContain('mallory')
    expect(await employees('check')).toMatch(/can be used/)
    expect(await readFile(join(terminal.folder, 'session-keys'), 'utf8')).toMatch(/^\S+:\S{43}\n$/)
  },
)
