import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { migrations } from '../../src/operator/migrations.ts'
import { root } from '../../tools/bundle.ts'
import { startPostgres } from '../../tools/postgres.ts'
import { wrangler } from '../../tools/wrangler.ts'
import { openDatabase } from '../src/support/databases.ts'
import { runEmployees } from '../src/support/operator.ts'
import { blocksIn } from './page.ts'
import { Terminal } from './terminal.ts'

const objectId = '0f8fad5b-d9cb-469f-a165-70867728950e'
const databases = ['homeport-prod', 'homeport-new'].map(
  name =>
    `[[d1_databases]]\nbinding = "X${name.length}"\ndatabase_name = "${name}"\ndatabase_id = "${name}"\n`,
)

it('brings a D1 database back from its export, with wrangler as docs/operate.md runs it', async () => {
  const terminal = await Terminal.open({
    programs: { npx: `shift && exec node '${await wrangler()}' "$@"` },
    env: { CI: '1', WRANGLER_SEND_METRICS: 'false' },
    fill: text => text.replaceAll('--remote', '--local'),
  })
  const configuration = ['name = "x"\ncompatibility_date = "2026-01-01"\n', ...databases]
  await writeFile(join(terminal.folder, 'wrangler.toml'), configuration.join(''))
  const binding = `INSERT INTO homeport_bindings VALUES ('7', '${objectId}', 1, 'operator')`
  await writeFile(
    join(terminal.folder, 'setup.sql'),
    [...migrations.flatMap(({ statements }) => statements), binding].map(sql => `${sql};\n`).join(''),
  )
  await terminal.must('npx wrangler d1 execute homeport-prod --remote --file setup.sql')
  const [save, restore] = blocksIn('docs/operate.md', '## Back up and restore D1')
  await terminal.must(save?.text ?? '')
  await terminal.must(restore?.text ?? '')
  const found = await terminal.must(
    'npx wrangler d1 execute homeport-new --remote --json --command "SELECT * FROM homeport_bindings" 2> /dev/null',
  )
  expect(JSON.parse(found)).toMatchObject([
    { results: [{ employee_id: '7', directory_id: objectId, bound_at: 1 }] },
  ])
})

it('takes employees and bindings from D1 to PostgreSQL, as docs/operate.md runs it', async () => {
  const d1 = await openDatabase('d1')
  onTestFinished(() => d1.close())
  const postgres = await startPostgres('homeport')
  onTestFinished(() => postgres.close())
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
  const terminal = await Terminal.open({
    env,
    fill: text => text.replaceAll('npm run -s employees --', `node '${join(root, 'src/operator/cli.ts')}'`),
  })
  const [move] = blocksIn('docs/operate.md', '## Leave the Worker')
  await terminal.must(move?.text ?? '')
  const listed = async (store: string) =>
    JSON.parse((await runEmployees(env, 'list', '--json', '--store', store)).out)
  expect(await listed('postgres')).toEqual(await listed('d1'))
  expect(await listed('postgres')).toHaveLength(2)
})
