import { BadRequestError, NotFoundError } from 'cloudflare'
import type { D1 } from 'cloudflare/resources/d1/d1'
import type { QueryResult } from 'cloudflare/resources/d1/database'
import { beforeAll, describe, expect, it } from 'vitest'
import { databaseView } from '../../sandbox/cloudflare/d1/database-resource.ts'
import { splitStatements } from '../../sandbox/cloudflare/d1/statements.ts'
import type { StatementResult } from '../../sandbox/cloudflare/workers/runtime.ts'
import { runSandbox } from './running.ts'
import { sdkClient } from './sdk-client.ts'

const sandbox = runSandbox()

const client = () => sdkClient(sandbox)
const account = () => ({ account_id: sandbox.at.cloudflare.accountId })
const database = () => client().d1.database
const path = () => `/accounts/${sandbox.at.cloudflare.accountId}/d1/database`

/** A result as served, to be compared with the SDK's type. */
type Served = Omit<StatementResult, 'meta' | 'results'> & {
  // The shape of a row depends on the query.
  results: unknown[]
  // The runtime adds served_by, which the SDK's type lacks.
  meta: QueryResult['meta']
}
const resultFitsSdk = ({ success, results, meta }: Served): QueryResult =>
  meta === undefined ? { success, results } : { success, results, meta }

const databaseFitsSdk = (database: ReturnType<typeof databaseView>): D1 => database

const uuidRule = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('a database', () => {
  it('can be created, read, listed, changed and deleted', async () => {
    const created = await database().create({ ...account(), name: 'first' })
    const { uuid = '' } = created
    expect(created).toEqual({
      uuid: expect.stringMatching(uuidRule),
      name: 'first',
      created_at: expect.any(String),
      version: 'production',
      jurisdiction: null,
      read_replication: { mode: 'disabled' },
    })
    expect(await database().get(uuid, account())).toEqual(created)
    // wrangler 4 sends the name in place of the uuid.
    expect(await database().get('first', account())).toEqual(created)
    const byName = await sandbox.api('POST', `${path()}/first/query`, { body: { sql: 'SELECT 1 AS one' } })
    expect(byName.body.result).toMatchObject([{ results: [{ one: 1 }] }])
    const listed = []
    for await (const one of database().list({ ...account(), per_page: 1 })) listed.push(one.name)
    expect(listed).toEqual(['first'])
    const edited = await database().edit(uuid, { ...account(), read_replication: { mode: 'auto' } })
    expect(edited.read_replication).toEqual({ mode: 'auto' })
    const updated = await database().update(uuid, { ...account(), read_replication: { mode: 'disabled' } })
    expect(updated).toEqual(created)
    expect(await database().delete(uuid, account())).toBeNull()
    await expect(database().get(uuid, account())).rejects.toMatchObject({
      status: 404,
      errors: [{ code: 7404, message: `The database ${uuid} could not be found` }],
    })
  })

  it('keeps the jurisdiction that it was created with', async () => {
    const { uuid = '' } = await database().create({ ...account(), name: 'in-europe', jurisdiction: 'eu' })
    const { status } = await sandbox.api('PUT', `${path()}/${uuid}`, {
      body: { jurisdiction: 'us', read_replication: { mode: 'disabled' } },
    })
    expect(status).toBe(200)
    expect(await database().get(uuid, account())).toMatchObject({ jurisdiction: 'eu' })
    const listed = await sandbox.api('GET', `${path()}?name=in-europe`)
    expect(listed.body.result).toMatchObject([{ jurisdiction: 'eu' }])
  })

  it('accepts an update with its own name only', async () => {
    const { uuid } = await database().create({ ...account(), name: 'named' })
    const put = (name: string) =>
      sandbox.api('PUT', `${path()}/${uuid}`, { body: { name, read_replication: { mode: 'disabled' } } })
    expect((await put('named')).status).toBe(200)
    expect((await put('renamed')).body.errors).toMatchObject([{ code: 7400 }])
  })

  it.each([
    [{ name: 'taken' }, 7502],
    [{ name: '' }, 7400],
    [{ name: 'a b' }, 7400],
    [{ name: 'ok', read_replication: { mode: 'sometimes' } }, 7400],
    [{ name: 'ok', jurisdiction: 'mars' }, 7400],
    ['no json', 7400],
  ])('is refused: %j gets %i', async (body, code) => {
    await sandbox.api('POST', path(), { body: { name: 'taken' } })
    const { status, body: answer } = await sandbox.api('POST', path(), { body })
    expect(status).toBe(400)
    expect(answer.errors).toMatchObject([{ code }])
  })
})

describe('statements', () => {
  let uuid = ''
  beforeAll(async () => {
    uuid = (await database().create({ ...account(), name: 'queried' })).uuid ?? ''
  })

  async function query(sql: string, params: string[] = []) {
    const results = []
    for await (const result of database().query(uuid, { ...account(), sql, params })) results.push(result)
    return results
  }

  it('take parameters and return rows as objects, and meta', async () => {
    await query('CREATE TABLE IF NOT EXISTS people (id INTEGER PRIMARY KEY, name TEXT)')
    const [inserted] = await query('INSERT INTO people (name) VALUES (?)', ["Robert'); DROP TABLE people;--"])
    expect(inserted?.meta).toMatchObject({ changes: 1, changed_db: true, rows_written: 1 })
    const [selected] = await query('SELECT id, name FROM people WHERE id = ?1', ['1'])
    expect(resultFitsSdk(selected as Served).results).toEqual([
      { id: 1, name: "Robert'); DROP TABLE people;--" },
    ])
  })

  it('return columns and rows in raw form, duplicate names included', async () => {
    const results = []
    for await (const result of database().raw(uuid, {
      ...account(),
      sql: 'SELECT 1 AS a, NULL AS b, 2 AS a',
    })) {
      results.push(result)
    }
    expect(results).toMatchObject([
      { success: true, results: { columns: ['a', 'b', 'a'], rows: [[1, null, 2]] }, meta: { rows_read: 0 } },
    ])
  })

  it('share their parameters in order and fail together', async () => {
    const results = await query(
      'CREATE TABLE t (v TEXT); INSERT INTO t VALUES (?), (?); INSERT INTO t VALUES (?); SELECT v FROM t',
      ['1', '2', '3'],
    )
    expect(results).toHaveLength(4)
    expect(results[3]?.results).toEqual([{ v: '1' }, { v: '2' }, { v: '3' }])
    await expect(query('DELETE FROM t; SELECT * FROM missing')).rejects.toBeInstanceOf(BadRequestError)
    expect((await query('SELECT count(*) AS n FROM t'))[0]?.results).toEqual([{ n: 3 }])
  })

  it('can be sent as a batch', async () => {
    const page = await database().query(uuid, {
      ...account(),
      batch: [{ sql: 'SELECT ? AS one', params: ['x'] }, { sql: 'SELECT 2 AS two' }],
    })
    expect(page.result.map(({ results }) => results)).toEqual([[{ one: 'x' }], [{ two: 2 }]])
  })

  it.each([
    ['SELECT * FROM missing', 'no such table: missing: SQLITE_ERROR'],
    ['SELCT', 'near "SELCT": syntax error at offset 0: SQLITE_ERROR'],
    ['SELECT ?', 'Wrong number of parameter bindings for SQL query.'],
    [' -- nothing', 'No SQL statements detected.'],
  ])("%j fails with SQLite's message", async (sql, message) => {
    await expect(query(sql)).rejects.toMatchObject({ status: 400, errors: [{ code: 7500, message }] })
  })

  it.each([{}, { sql: 1 }, { sql: 'SELECT 1', params: 'x' }, { batch: [] }, { batch: [1] }])(
    'are refused as malformed: %j',
    async body => {
      const { status, body: answer } = await sandbox.api('POST', `${path()}/${uuid}/query`, { body })
      expect(status).toBe(400)
      expect(answer.errors).toMatchObject([{ code: 7400 }])
    },
  )

  it('fail for a database that does not exist', async () => {
    await expect(database().query('none', { ...account(), sql: 'SELECT 1' })).rejects.toBeInstanceOf(
      NotFoundError,
    )
  })

  it('do not affect another database', async () => {
    const other = (await database().create({ ...account(), name: 'other' })).uuid ?? ''
    await expect(
      database().query(other, { ...account(), sql: 'SELECT * FROM people' }),
    ).rejects.toMatchObject({
      errors: [{ message: expect.stringContaining('no such table') }],
    })
    expect((await query('SELECT count(*) AS n FROM people'))[0]?.results).toEqual([{ n: 1 }])
  })
})

it('a database as served fits the type of the SDK', () => {
  const database = { uuid: 'u', name: 'n', createdAt: 'c', replication: 'auto', jurisdiction: 'eu' } as const
  expect(databaseFitsSdk(databaseView(database))).toMatchObject({ uuid: 'u', created_at: 'c' })
})

describe('a text with several statements', () => {
  it.each([
    ["SELECT ';'; SELECT 2", ["SELECT ';'", 'SELECT 2']],
    ["SELECT 'it''s;' ; ;; ", ["SELECT 'it''s;'"]],
    ['SELECT 1 -- a; b\n; SELECT 2 /* ; */', ['SELECT 1 -- a; b', 'SELECT 2 /* ; */']],
    ['SELECT "a;b", `c;d`, [e;f]; x', ['SELECT "a;b", `c;d`, [e;f]', 'x']],
    [
      'CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET b = CASE WHEN 1 THEN 2 END; SELECT 1; END; SELECT 2',
      [
        'CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET b = CASE WHEN 1 THEN 2 END; SELECT 1; END',
        'SELECT 2',
      ],
    ],
    ["SELECT 'never ends; SELECT 2", ["SELECT 'never ends; SELECT 2"]],
  ])('is split at the ends of statements: %s', (text, statements) => {
    expect(splitStatements(text).map(({ sql }) => sql)).toEqual(statements)
  })

  it('counts the parameters of each statement', () => {
    expect(
      splitStatements("SELECT ?, '?', ? ; SELECT ?2 ; SELECT 1").map(({ parameters }) => parameters),
    ).toEqual([2, 2, 0])
  })
})
