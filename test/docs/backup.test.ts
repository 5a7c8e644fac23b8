import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startPostgres } from '../../tools/postgres.ts'
import { bundleServer } from '../../tools/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
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

describe('the commands for a host', () => {
  const reason = installed ? '' : ' (no PostgreSQL with its tools is installed here)'

  it.skipIf(!installed)(
    `upgrade the tables, go back a version, and bring back what a backup held${reason}`,
    async () => {
      const folder = temporaryFolder()
      const program = join(folder, 'server.js')
      const secret = join(folder, 'database-url')
      let url = 'postgresql://127.0.0.1:5432'
      /** Runs commands of the page, or like them, on a machine whose files are in the folder. */
      const run = (commands: string, cwd = folder): string => {
        const script = commands
          .replaceAll('/opt/homeport', folder)
          .replaceAll('/etc/homeport', folder)
          .replaceAll('choose-one', new URL(url).password)
        const done = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
          cwd,
          encoding: 'utf8',
          env: {
            PATH: [installed, dirname(process.execPath), process.env['PATH']].join(delimiter),
            DATABASE_URL_FILE: secret,
            PGPORT: new URL(url).port,
          },
        })
        expect(done, `${script}\n${done.stderr}`).toMatchObject({ status: 0 })
        return done.stdout
      }
      const employees = (command: string) => run(`node ${program} employees ${command}`)
      const postgres = await startPostgres('homeport', installed)
      try {
        await bundleServer(program)
        url = await postgres.createDatabase('homeport')
        await writeFile(secret, `${url}\n`, { mode: 0o600 })
        const [upgrade, rollBack] = blocksIn('docs/operate.md', '## Upgrade a host')
        const [backUp, restore] = blocksIn('docs/operate.md', '## Back up and restore PostgreSQL')
        const isService = /^systemctl .*\n/gm
        employees('migrate')
        // Tables of an earlier version, and the new file beside the installed one.
        run(
          `psql --quiet "$(cat ${secret})" --command 'DROP TABLE homeport_audit, homeport_audit_outcomes' --command 'DELETE FROM homeport_migrations WHERE version = 2'`,
        )
        const download = join(folder, 'download')
        await mkdir(download)
        await copyFile(program, join(download, 'server.js'))
        const previous = `${await readFile(program, 'utf8')}// The previous version.\n`
        await writeFile(program, previous)
        // `check` fails, since it names the missing table.
        const steps = upgrade?.text.replace(isService, '').replace(/ employees check$/m, '$& || true') ?? ''
        expect(run(steps, download)).toMatch(
          /migrate has not created tables homeport_audit and [\s\S]*: created tables homeport_audit and /,
        )
        expect(await readFile(program, 'utf8')).not.toBe(previous)
        run(rollBack?.text.replace(isService, '') ?? '')
        expect(await readFile(program, 'utf8')).toBe(previous)
        expect(employees('check')).toMatch(/can be used/)
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
      } finally {
        await postgres.close()
      }
    },
  )
})
