import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { migrations } from '../../src/operator/migrations.ts'
import { root } from '../../tools/bundle.ts'
import { startPostgres } from '../../tools/postgres.ts'
import { wrangler } from '../../tools/wrangler.ts'
import { openDatabase } from '../src/support/databases.ts'
import { runEmployees } from '../src/support/operator.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { blocksIn } from './page.ts'

const objectId = '0f8fad5b-d9cb-469f-a165-70867728950e'
const configuration = ['homeport-prod', 'homeport-new']
  .map(
    name =>
      `[[d1_databases]]\nbinding = "X${name.length}"\ndatabase_name = "${name}"\ndatabase_id = "${name}"\n`,
  )
  .join('')

it('brings a D1 database back from its export, with wrangler as docs/operate.md runs it', async () => {
  const program = await wrangler()
  const folder = temporaryFolder()
  const run = (commands: string): string => {
    const script = commands
      .replaceAll('npx wrangler', `'${process.execPath}' '${program}'`)
      .replaceAll('--remote', '--local')
    const env = { PATH: process.env['PATH'], CI: '1', WRANGLER_SEND_METRICS: 'false', HOME: folder }
    const done = spawnSync('bash', ['-euc', script], { cwd: folder, encoding: 'utf8', env })
    expect(done, `${script}\n${done.stderr}`).toMatchObject({ status: 0 })
    return done.stdout
  }
  await writeFile(
    join(folder, 'wrangler.toml'),
    `name = "x"\ncompatibility_date = "2026-01-01"\n${configuration}`,
  )
  const binding = `INSERT INTO homeport_bindings VALUES ('7', '${objectId}', 1, 'operator')`
  await writeFile(
    join(folder, 'setup.sql'),
    [...migrations.flatMap(({ statements }) => statements), binding].map(sql => `${sql};\n`).join(''),
  )
  run('npx wrangler d1 execute homeport-prod --remote --file setup.sql')
  const [save, restore] = blocksIn('docs/operate.md', '## Back up and restore D1')
  run(save?.text ?? '')
  run(restore?.text ?? '')
  const found = run(
    'npx wrangler d1 execute homeport-new --remote --json --command "SELECT * FROM homeport_bindings"',
  )
  expect(JSON.parse(found)).toMatchObject([
    { results: [{ employee_id: '7', directory_id: objectId, bound_at: 1 }] },
  ])
})

it('takes employees and bindings from D1 to PostgreSQL, as docs/operate.md runs it', async () => {
  const folder = temporaryFolder()
  const d1 = await openDatabase('d1')
  const postgres = await startPostgres('homeport')
  try {
    const env = { ...d1.env, DATABASE_URL: await postgres.createDatabase('homeport') }
    for (const store of ['d1', 'postgres']) await runEmployees(env, 'migrate', '--store', store)
    for (const command of [
      ['add', 'ada', '--id', '7', '--admin'],
      ['add', "o'brien,b", '--id', '8'],
      ['deactivate', "o'brien,b"],
      ['bind', "o'brien,b", objectId],
    ]) {
      expect(await runEmployees(env, ...command, '--store', 'd1')).toMatchObject({ status: 0 })
    }
    const [move] = blocksIn('docs/operate.md', '## Leave the Worker')
    const cli = `'${process.execPath}' '${join(root, 'src/operator/cli.ts')}'`
    const script = move?.text.replaceAll('npm run -s employees --', cli) ?? ''
    await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...env },
    })
    const listed = async (store: string) =>
      JSON.parse((await runEmployees(env, 'list', '--json', '--store', store)).out)
    expect(await listed('postgres')).toEqual(await listed('d1'))
    expect(await listed('postgres')).toHaveLength(2)
  } finally {
    await d1.close()
    await postgres.close()
  }
})
