import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { parse } from 'yaml'
import { createPostgresEmployeeStore } from '../../../src/node/postgres/employees.ts'
import { createPool } from '../../../src/node/postgres/pool.ts'
import { root } from '../../../tools/bundle.ts'
import { startInProcess } from '../support/in-process.ts'
import { runEmployees } from '../support/operator.ts'

const folder = join(root, 'docs/compose')
const password = "it's a password"
/** In place of the file's, which the cluster of the tests has. */
const name = 'composed'

describe('the role that the compose file gives the handler', async () => {
  const { services } = parse(await readFile(join(folder, 'protected.yaml'), 'utf8'))
  const admin = new pg.Client({ connectionString: inject('postgres') })
  await admin.connect()
  const url = Object.assign(new URL(inject('postgres')), { username: name, password, pathname: `/${name}` })
  const env = { DATABASE_URL: url.href }

  // The image runs every file in that folder with psql. Its \set and :'password' are all that PostgreSQL does not know.
  const [mount = ''] = (services.database.volumes as string[]).flatMap(
    volume => /^\.\/(.+):\/docker-entrypoint-initdb\.d\/\S+\.sql:ro$/.exec(volume)?.[1] ?? [],
  )
  const script = await readFile(join(folder, mount), 'utf8')
  const sql = script
    .replace(/^(--|\\).*$/gm, '')
    .replaceAll(":'password'", pg.escapeLiteral(password))
    .replaceAll('homeport', name)
  for (const statement of sql.split(';').filter(text => text.trim() !== '')) await admin.query(statement)
  const pool = createPool(url.href)

  afterAll(async () => {
    await pool.end()
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.query(`DROP ROLE ${name}`)
    await admin.end()
  })

  it('is not the one that the image makes a superuser', async () => {
    expect(services.database.environment).not.toHaveProperty('POSTGRES_USER')
    const used = [services.handler, services.tables].flatMap(({ secrets }) => secrets)
    expect(services.database.secrets).toContain('superuser-password')
    expect(used).not.toContain('superuser-password')
  })

  it('does all that the command and the handler need', async () => {
    for (const args of ['migrate', 'check', 'add ada --id E1', 'add bob', 'deactivate bob', 'list', 'audit'])
      expect(await runEmployees(env, ...args.split(' ')), args).toMatchObject({ status: 0, problem: '' })
    const employees = createPostgresEmployeeStore(pool)
    const app = startInProcess({}, employees)
    const { answer, session } = await app.signIn()
    expect(await answer.json()).toMatchObject({ user: { username: 'ada' } })
    expect((await app.send('/api/auth/logout', session)).status).toBe(204)
    expect((await app.call('/api/session', session)).status).toBe(401)
    expect((await app.call('/healthz')).status).toBe(200)
    expect((await runEmployees(env, 'unbind', 'ada')).out).toContain('Unbound ada')
  })

  it.each([
    "SELECT pg_read_file('/etc/hostname')",
    "COPY employees TO PROGRAM 'cat'",
    'CREATE ROLE other',
    'CREATE DATABASE other',
    `ALTER ROLE ${name} SUPERUSER`,
  ])('may not: %s', async text => {
    await expect(pool.query({ text })).rejects.toMatchObject({ code: '42501' })
  })
})
