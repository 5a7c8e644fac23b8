import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPool, type Pool } from '../../../src/node/postgres/pool.ts'
import { listen } from '../../support/listen.ts'
import { type Database, openDatabase } from '../support/databases.ts'

/**
 * A pooler that refuses start-up parameters in PgBouncer's words, and passes everything else on. Its server connections may
 * have the prepared statements of an earlier client.
 */
async function startRefusingPooler(database: URL, hasStatements = false) {
  let refusals = 0
  const server = createServer(client => {
    client.on('error', () => undefined)
    client.once('data', start => {
      if (start.includes('statement_timeout')) {
        refusals += 1
        client.end(errorResponse('08P01', 'unsupported startup parameter: statement_timeout'))
        return
      }
      const upstream = connect(Number(database.port), database.hostname)
      upstream.write(start)
      // The end of either ends both.
      pipeline(upstream, client, () => undefined)
      client.on('data', message => {
        if (hasStatements && message.includes('homeport-'))
          client.write(Buffer.concat([errorResponse('42P05', 'already exists'), readyForQuery]))
        else upstream.write(message)
      })
    })
  })
  const { port } = new URL(await listen(server))
  return {
    url: Object.assign(new URL(database), { port }).href,
    refusals: () => refusals,
    close: () => server.close(),
  }
}

const readyForQuery = Buffer.from('Z\0\0\0\x05I')

/** ErrorResponse (PostgreSQL, message formats). */
function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

describe('the connections to PostgreSQL', () => {
  let database: Database
  let url: URL
  beforeAll(async () => {
    database = await openDatabase('postgres')
    url = new URL(database.env['DATABASE_URL'] ?? '')
  })
  afterAll(() => database?.close())

  const timeoutOf = async (pool: Pool) =>
    (await pool.query({ text: 'SHOW statement_timeout' })).rows[0]?.['statement_timeout']
  const prepared = { text: 'SELECT $1::int + 1 AS sum', values: [1], prepared: true }
  const preparedNames = async (pool: Pool) =>
    (
      await pool.query({ text: "SELECT name FROM pg_prepared_statements WHERE name LIKE 'homeport-%'" })
    ).rows.map(({ name }) => String(name))

  it('end a statement on the server after five seconds', async () => {
    const pool = createPool(url.href)
    expect(await timeoutOf(pool)).toBe('5s')
    await pool.end()
  })

  it('work without that limit if a pooler refuses it, even for concurrent requests', async () => {
    const pooler = await startRefusingPooler(url)
    const pool = createPool(pooler.url)
    // More than the pool's connections.
    const sums = await Promise.all(Array.from({ length: 24 }, () => pool.query(prepared)))
    expect(sums.map(({ rows }) => rows)).toEqual(sums.map(() => [{ sum: 2 }]))
    expect(await timeoutOf(pool)).toBe('0')
    const refusals = pooler.refusals()
    expect(refusals).toBeGreaterThan(0)
    for (let n = 0; n < 3; n += 1) await pool.query(prepared)
    expect(pooler.refusals()).toBe(refusals)
    await pool.end()
    pooler.close()
  })

  it('stop preparing statements if a pooler loses or repeats them', async () => {
    const pool = createPool(url.href)
    expect((await pool.query(prepared)).rows).toEqual([{ sum: 2 }])
    expect(await preparedNames(pool)).toHaveLength(1)
    await pool.query({ text: 'DEALLOCATE ALL' })
    expect((await pool.query(prepared)).rows).toEqual([{ sum: 2 }])
    expect((await pool.query(prepared)).rows).toEqual([{ sum: 2 }])
    expect(await preparedNames(pool)).toEqual([])
    await pool.end()

    const pooler = await startRefusingPooler(url, true)
    const other = createPool(pooler.url)
    expect((await other.query(prepared)).rows).toEqual([{ sum: 2 }])
    await other.end()
    pooler.close()
  })

  it('read once more if their connection ended, and change nothing twice', async () => {
    const pool = createPool(url.href)
    // Ends its own connection the first time, so that no time decides.
    async function ending(name: string, repeats: 'read' | 'never') {
      await database.store.query(`CREATE SEQUENCE ${name}`)
      const end = 'pg_terminate_backend(pg_backend_pid(), 5000)'
      const text = `SELECT n, CASE n WHEN 1 THEN ${end} END FROM (SELECT nextval('${name}') AS n) AS tries`
      return { text, repeats }
    }
    const reads = await Promise.all(['one', 'two', 'three'].map(name => ending(name, 'read')))
    const change = await ending('change', 'never')
    const asked = Promise.all(reads.map(statement => pool.query(statement)))
    await expect(pool.query(change)).rejects.toMatchObject({ code: '57P01' })
    expect((await asked).map(({ rows }) => rows[0]?.['n'])).toEqual(['2', '2', '2'])
    expect(await database.store.query('SELECT last_value AS n FROM change')).toEqual([{ n: '1' }])
    await pool.end()
  })

  it('report every other failure, and do not send the statement again', async () => {
    const pool = createPool(url.href)
    await pool.query({ text: 'CREATE TABLE once (n int)' })
    await expect(pool.query({ text: 'SELECT nothing', prepared: true })).rejects.toMatchObject({
      code: '42703',
    })
    await expect(
      pool.query({ text: 'WITH one AS (INSERT INTO once VALUES (1)) SELECT 1/0', prepared: true }),
    ).rejects.toMatchObject({ code: '22012' })
    expect((await pool.query({ text: 'SELECT * FROM once' })).rows).toEqual([])
    await pool.end()
  })
})
