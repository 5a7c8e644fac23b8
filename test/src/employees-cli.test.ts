import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runEmployeesCommand } from '../../src/employees/cli.ts'
import { maxSessionMs } from '../../src/settings/values.ts'
import { root } from '../../tools/bundle.ts'
import { type Database, dialects, openDatabase } from './support/databases.ts'

const objectId = '0f8fad5b-d9cb-469f-a165-70867728950e'

async function run(env: Readonly<Record<string, string>>, ...args: string[]) {
  const lines: string[] = []
  const problems: string[] = []
  const status = await runEmployeesCommand(args, env, {
    line: text => void lines.push(text),
    problem: text => void problems.push(text),
  })
  return { status, out: lines.join('\n'), problem: problems.join('\n') }
}

describe.each(dialects)('the operator’s command with %s', dialect => {
  let database: Database
  const operate = (...args: string[]) => run(database.env, ...args)
  beforeAll(async () => {
    database = await openDatabase(dialect)
  })
  afterAll(() => database?.close())

  it('shows in a dry run what it would do, and does nothing', async () => {
    const dry = await operate('migrate', '--dry-run')
    expect(dry.status).toBe(0)
    expect(dry.out).toMatch(/would make a table of employees\nCREATE TABLE/)
    expect((await operate('add', 'ada')).problem).toContain('Run `migrate` first')
    expect((await operate('migrate', '--existing-employees')).problem).toContain('no table or view employees')
  })

  it('wants to be migrated first, whatever it is asked for', async () => {
    for (const command of [['list'], ['add', 'ada'], ['unbind', 'ada'], ['bind', 'ada', objectId]]) {
      expect(await operate(...command)).toMatchObject({
        status: 1,
        problem: expect.stringMatching(/Run `migrate` first/),
      })
    }
  })

  it('migrates, adds, lists, deactivates and activates', async () => {
    expect(await operate('migrate')).toMatchObject({ status: 0 })
    expect((await operate('migrate')).out).toContain('nothing to do')
    expect((await operate('add', 'ada', '--id', '7', '--admin')).out).toBe('added ada (7), administrator.')
    expect((await operate('add', 'bob', '--dry-run')).out).toMatch(/^Would have: added bob/)
    expect((await operate('deactivate', 'ada')).out).toContain('deactivated ada')
    expect(JSON.parse((await operate('list', '--json')).out)).toEqual([
      { id: '7', userName: 'ada', isActive: false, isAdmin: true, boundTo: null },
    ])
    expect((await operate('deactivate', 'ada')).out).toContain('already')
    expect((await operate('activate', 'ada')).status).toBe(0)
    expect((await operate('list')).out).toMatch(/^ada\t7\tactive, administrator\tnot bound\n1 employees in/)
  })

  it('binds and unbinds, one account an employee', async () => {
    await operate('add', 'carol', '--id', '9')
    expect((await operate('bind', 'carol', objectId.toUpperCase())).out).toBe(`bound carol to ${objectId}.`)
    expect((await operate('bind', 'carol', objectId)).out).toContain('already')
    expect(await operate('bind', 'ada', objectId)).toMatchObject({
      status: 1,
      problem: expect.stringContaining('bound to carol already. `unbind carol` first'),
    })
    expect((await operate('bind', 'carol', objectId.replace('0f', '1f'))).problem).toContain('Unbind first')
    expect((await operate('bind', 'ada', 'carol@example.com')).problem).toContain('not a directory id')
    expect((await operate('unbind', 'carol')).out).toContain('ended every session')
    expect((await database.directory.checkSession('s', '9', Date.now() - 1000)).ended).toBe(true)
    expect((await operate('unbind', 'carol')).out).toBe('carol is not bound.')
    expect((await operate('end-sessions', 'ada')).status).toBe(0)
    expect((await database.directory.checkSession('s', '7', Date.now() + 1000)).ended).toBe(false)
  })

  it('promises in a dry run only what it would do', async () => {
    await operate('add', 'erik', '--id', '20')
    await operate('add', 'fay', '--id', '21')
    await operate('bind', 'erik', objectId)
    const [list] = [(await operate('list', '--json')).out]
    for (const [args, why] of [
      [['bind', 'fay', objectId], 'bound to erik already'],
      [['bind', 'erik', objectId.replace('0f', '3f')], 'Unbind first'],
      [['add', 'gus', '--id', '20'], 'taken by erik'],
      [['add', 'gus', '--id', ''], 'is not an id'],
      [['add', 'gus', '--id', 'a\tb'], 'is not an id'],
    ] as const) {
      const [dry, real] = [await operate(...args, '--dry-run'), await operate(...args)]
      expect(dry).toMatchObject({ status: 1, problem: expect.stringContaining(why) })
      expect(real).toEqual(dry)
    }
    for (const args of [
      ['unbind', 'erik'],
      ['deactivate', 'erik'],
      ['end-sessions', 'erik'],
      ['add', 'gus'],
      ['bind', 'fay', objectId.replace('0f', '3f')],
    ]) {
      expect((await operate(...args, '--dry-run')).out).toMatch(/^Would have: /)
    }
    expect((await operate('list', '--json')).out).toBe(list)
    expect((await database.directory.checkSession('s', '20', Date.now() - 60_000)).ended).toBe(false)
    await operate('end-sessions', 'erik')
    expect((await database.directory.checkSession('s', '20', Date.now() - 60_000)).ended).toBe(true)
    await operate('unbind', 'erik')
  })

  it('ends sessions for as long as any of them could live, whoever signs out meanwhile', async () => {
    const { directory } = database
    await operate('add', 'eve', '--id', '13')
    const issuedAt = Date.now()
    expect((await operate('end-sessions', 'eve')).status).toBe(0)
    await directory.endSession('of another', Date.now() + maxSessionMs, Date.now() + 2 * maxSessionMs)
    expect((await directory.checkSession('s', '13', issuedAt)).ended).toBe(true)
  })

  it('forgets the account of a record that is gone', async () => {
    const account = objectId.replace('0f', '2f')
    await operate('add', 'dora', '--id', '11')
    await operate('bind', 'dora', account)
    await database.store.query("DELETE FROM employees WHERE id = '11'")
    await operate('add', 'dora', '--id', '12')
    expect((await operate('bind', 'dora', account)).problem).toContain(
      `employee 11, whose record is gone, already. \`unbind ${account}\` first`,
    )
    expect((await operate('unbind', account, '--dry-run')).out).toContain('Would have: unbound employee 11')
    expect(await operate('unbind', account.toUpperCase())).toMatchObject({
      status: 0,
      out: expect.stringContaining('unbound employee 11'),
    })
    expect(await operate('unbind', account)).toMatchObject({
      status: 1,
      problem: expect.stringContaining('not bound to anybody'),
    })
    expect((await operate('bind', 'dora', account)).status).toBe(0)
  })

  it('refuses names that nobody could sign in with, and ones that are taken', async () => {
    for (const name of ['a b', 'ada@example.com', '\u0430da', '', 'a\tb']) {
      expect((await operate('add', name)).problem, name).toContain('is not a user name')
    }
    expect((await operate('add', 'ADA')).problem).toContain('taken by ada (7)')
    expect((await operate('deactivate', 'nobody')).problem).toContain('No employee is named nobody')
  })

  it('does not write employees that are not its own', async () => {
    const other = await openDatabase(dialect)
    try {
      await other.store.query(
        'CREATE TABLE hr (id TEXT, user_name TEXT, is_active BOOLEAN, is_admin BOOLEAN)',
      )
      await other.store.query("INSERT INTO hr VALUES ('1', 'ada', true, false)")
      await other.store.query('CREATE VIEW employees AS SELECT * FROM hr')
      expect((await run(other.env, 'migrate', '--existing-employees')).status).toBe(0)
      for (const command of ['add', 'deactivate', 'activate']) {
        expect((await run(other.env, command, 'ada')).problem).toContain('not ours to write')
      }
      expect((await run(other.env, 'bind', 'ada', objectId)).status).toBe(0)
      expect((await run(other.env, 'list')).out).toContain(`bound to ${objectId}`)
      await other.store.query("INSERT INTO hr VALUES ('2', NULL, true, false)")
      expect((await run(other.env, 'list')).out).toContain('(without a user name)\t2\t')
    } finally {
      await other.close()
    }
  })

  it('does not write a view that took the place of its table', async () => {
    const other = await openDatabase(dialect)
    try {
      expect((await run(other.env, 'migrate')).status).toBe(0)
      await other.store.query('ALTER TABLE employees RENAME TO hr')
      await other.store.query("INSERT INTO hr (id, user_name) VALUES ('1', 'ada')")
      await other.store.query('CREATE VIEW employees AS SELECT * FROM hr')
      for (const args of [
        ['add', 'eve', '--admin'],
        ['deactivate', 'ada'],
      ]) {
        expect((await run(other.env, ...args)).problem).toContain('not ours to write')
      }
      expect(await other.store.query('SELECT user_name FROM hr WHERE is_active')).toEqual([
        { user_name: 'ada' },
      ])
    } finally {
      await other.close()
    }
  })
})

describe('the operator’s command', () => {
  it('explains itself, and what it did not understand', async () => {
    expect(await run({}, '--help')).toMatchObject({
      status: 0,
      out: expect.stringContaining('Usage: npm run employees'),
    })
    expect(await run({})).toMatchObject({ status: 2, problem: expect.stringContaining('No command') })
    expect(await run({}, 'frobnicate')).toMatchObject({
      status: 2,
      problem: expect.stringContaining('frobnicate'),
    })
    for (const inherited of ['constructor', 'hasOwnProperty', '__proto__']) {
      expect(await run({ DATABASE_URL: 'postgresql://127.0.0.1:9/x' }, inherited, 'ada')).toMatchObject({
        status: 2,
        problem: expect.stringContaining(`There is no command ${inherited}`),
      })
    }
    expect(await run({}, 'bind', 'ada')).toMatchObject({
      status: 2,
      problem: expect.stringContaining('DIRECTORY-ID'),
    })
    expect(await run({}, 'list', '--bogus')).toMatchObject({ status: 2 })
    expect(await run({}, 'list')).toMatchObject({
      status: 2,
      problem: expect.stringContaining('DATABASE_URL'),
    })
    expect(await run({ D1_DATABASE_ID: 'x' }, 'list')).toMatchObject({
      status: 2,
      problem: expect.stringContaining('CLOUDFLARE_ACCOUNT_ID'),
    })
    expect(await run({ D1_DATABASE_ID: 'x', DATABASE_URL: 'y' }, 'list')).toMatchObject({
      problem: expect.stringContaining('--store'),
    })
    expect(await run({ DATABASE_URL: 'mysql://x' }, 'list')).toMatchObject({ status: 1 })
  })

  it('says what a store that does not answer said, without its password', async () => {
    const { status, problem } = await run({ DATABASE_URL: 'postgresql://u:hunter2@127.0.0.1:9/x' }, 'list')
    expect(status).toBe(1)
    expect(problem).toContain('ECONNREFUSED')
    expect(problem).not.toContain('hunter2')
    const env = {
      D1_DATABASE_ID: 'x',
      CLOUDFLARE_ACCOUNT_ID: 'a',
      CLOUDFLARE_API_TOKEN: 'hunter2',
      CLOUDFLARE_API_URL: 'http://127.0.0.1:9',
    }
    expect(await run(env, 'list')).toMatchObject({
      status: 1,
      problem: expect.stringContaining('did not answer'),
    })
  })

  it.each([
    ['cut off', '{"success":true,"result":[{"results"', 'did not answer'],
    ['errors that are no list', '{"success":false,"errors":"no","result":null}', 'no reason given'],
    ['a result that is no list', '{"success":true,"errors":[],"result":{"results":[]}}', 'no reason given'],
    [
      'a reason of several lines',
      '{"success":false,"errors":[{"code":1,"message":"a\\u001b[2J\\nb"}]}',
      'a [2J b (1)',
    ],
  ])('says so where D1’s answer is %s', async (name, body, expected) => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': body.length + (name === 'cut off' ? 9 : 0) })
      response.write(body, () => (name === 'cut off' ? response.destroy() : response.end()))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const env = {
      D1_DATABASE_ID: 'x',
      CLOUDFLARE_ACCOUNT_ID: 'a',
      CLOUDFLARE_API_TOKEN: 'hunter2',
      CLOUDFLARE_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    }
    expect(await run(env, 'list')).toMatchObject({ status: 1, problem: expect.stringContaining(expected) })
    server.closeAllConnections()
    server.close()
  })

  it('runs as npm runs it, as does the one that makes keys', async () => {
    const node = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: root })
    expect((await node('src/employees/cli.ts', '--help')).stdout).toContain('Exit status')
    await expect(node('src/employees/cli.ts', 'list')).rejects.toMatchObject({ code: 2 })
    expect((await node('src/session/keys.ts', 'new')).stdout).toMatch(/^k\d{8}-\w{4}:[\w-]{43}\n$/)
    await expect(node('src/session/keys.ts')).rejects.toMatchObject({ code: 2 })
  })
})
