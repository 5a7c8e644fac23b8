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

describe.each(dialects)('npm run employees with %s', dialect => {
  let database: Database
  const operate = (...args: string[]) => run(database.env, ...args)
  beforeAll(async () => {
    database = await openDatabase(dialect)
  })
  afterAll(() => database?.close())

  it('shows in a dry run what it would do, and changes nothing', async () => {
    const dry = await operate('migrate', '--dry-run')
    expect(dry.status).toBe(0)
    expect(dry.out).toMatch(/^-- Would create table employees:\nCREATE TABLE/)
    expect((await operate('add', 'ada')).problem).toContain('Run `migrate` first')
    expect((await operate('migrate', '--existing-employees')).problem).toContain('no table or view employees')
  })

  it('asks for migrate first', async () => {
    for (const command of [['list'], ['add', 'ada'], ['unbind', 'ada'], ['bind', 'ada', objectId]]) {
      expect(await operate(...command)).toMatchObject({
        status: 1,
        problem: expect.stringMatching(/Run `migrate` first/),
      })
    }
  })

  it('migrates, adds, lists, deactivates and activates', async () => {
    expect(await operate('migrate')).toMatchObject({ status: 0 })
    expect((await operate('migrate')).out).toMatch(/: the tables are up to date\.$/)
    expect((await operate('add', 'ada', '--id', '7', '--admin')).out).toBe(
      'Added ada (7) as an administrator.',
    )
    expect((await operate('add', 'bob', '--dry-run')).out).toMatch(/^Would add bob \(/)
    expect((await operate('deactivate', 'ada')).out).toBe('Deactivated ada and ended every session.')
    expect((await database.directory.checkSession('s', '7', Date.now() - 1000)).employeeEnded).toBe(true)
    expect(JSON.parse((await operate('list', '--json')).out)).toEqual([
      { id: '7', userName: 'ada', isActive: false, isAdmin: true, boundTo: null },
    ])
    expect((await operate('deactivate', 'ada')).out).toContain('already')
    expect((await operate('activate', 'ada')).status).toBe(0)
    expect((await operate('list')).out).toMatch(/^ada\t7\tactive, administrator\tnot bound\n1 employee in/)
  })

  it('binds one account to one employee, and unbinds', async () => {
    await operate('add', 'carol', '--id', '9')
    expect((await operate('bind', 'carol', objectId.toUpperCase())).out).toBe(`Bound carol to ${objectId}.`)
    expect((await operate('bind', 'carol', objectId)).out).toContain('already')
    expect(await operate('bind', 'ada', objectId)).toMatchObject({
      status: 1,
      problem: expect.stringContaining('already bound to carol. Run `unbind carol` first'),
    })
    expect((await operate('bind', 'carol', objectId.replace('0f', '1f'))).problem).toContain(
      'Run `unbind carol` first',
    )
    expect((await operate('bind', 'ada', 'carol@example.com')).problem).toContain('is not an Object ID')
    expect((await operate('unbind', 'carol')).out).toContain('ended every session')
    expect((await database.directory.checkSession('s', '9', Date.now() - 1000)).employeeEnded).toBe(true)
    expect((await operate('unbind', 'carol')).out).toBe('carol is not bound.')
    expect((await operate('end-sessions', 'ada')).status).toBe(0)
    expect((await database.directory.checkSession('s', '7', Date.now() + 1000)).employeeEnded).toBe(false)
  })

  it('reports in a dry run exactly what would happen', async () => {
    await operate('add', 'erik', '--id', '20')
    await operate('add', 'fay', '--id', '21')
    await operate('bind', 'erik', objectId)
    const [list] = [(await operate('list', '--json')).out]
    for (const [args, why] of [
      [['bind', 'fay', objectId], 'already bound to erik'],
      [['bind', 'erik', objectId.replace('0f', '3f')], 'Run `unbind erik` first'],
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
      expect((await operate(...args, '--dry-run')).out).toMatch(/^Would (unbind|deactivate|end|add|bind) /)
    }
    expect((await operate('list', '--json')).out).toBe(list)
    expect((await database.directory.checkSession('s', '20', Date.now() - 60_000)).employeeEnded).toBe(false)
    await operate('end-sessions', 'erik')
    expect((await database.directory.checkSession('s', '20', Date.now() - 60_000)).employeeEnded).toBe(true)
    await operate('unbind', 'erik')
  })

  it('keeps a revocation while any session could last, even if others sign out', async () => {
    const { directory } = database
    await operate('add', 'eve', '--id', '13')
    const issuedAt = Date.now()
    expect((await operate('end-sessions', 'eve')).status).toBe(0)
    await directory.endSession('of another', Date.now() + maxSessionMs, Date.now() + 2 * maxSessionMs)
    expect((await directory.checkSession('s', '13', issuedAt)).employeeEnded).toBe(true)
  })

  it('unbinds the account of a deleted record', async () => {
    const account = objectId.replace('0f', '2f')
    await operate('add', 'dora', '--id', '11')
    await operate('bind', 'dora', account)
    await database.store.query("DELETE FROM employees WHERE id = '11'")
    await operate('add', 'dora', '--id', '12')
    expect((await operate('bind', 'dora', account)).problem).toContain(
      `employee 11, whose record is gone. Run \`unbind ${account}\` first`,
    )
    expect((await operate('unbind', account, '--dry-run')).out).toContain('Would unbind employee 11')
    expect(await operate('unbind', account.toUpperCase())).toMatchObject({
      status: 0,
      out: expect.stringContaining('Unbound employee 11'),
    })
    expect(await operate('unbind', account)).toMatchObject({
      status: 1,
      problem: expect.stringContaining('is not bound to an employee'),
    })
    expect((await operate('bind', 'dora', account)).status).toBe(0)
  })

  it('refuses names that are taken or cannot sign in', async () => {
    for (const name of ['a b', 'ada@example.com', '\u0430da', '', 'a\tb']) {
      expect((await operate('add', name)).problem, name).toContain('is not a user name')
    }
    expect((await operate('add', 'ADA')).problem).toContain('is taken by ada (7)')
    expect((await operate('deactivate', 'nobody')).problem).toContain('No employee is named nobody')
  })

  it('does not change employees in a table or view of the operator’s', async () => {
    const other = await openDatabase(dialect)
    try {
      await other.store.query(
        'CREATE TABLE hr (id TEXT, user_name TEXT, is_active BOOLEAN, is_admin BOOLEAN)',
      )
      await other.store.query("INSERT INTO hr VALUES ('1', 'ada', true, false)")
      await other.store.query('CREATE VIEW employees AS SELECT * FROM hr')
      expect((await run(other.env, 'migrate', '--existing-employees')).status).toBe(0)
      for (const command of ['add', 'deactivate', 'activate']) {
        expect((await run(other.env, command, 'ada')).problem).toContain('does not write')
      }
      expect((await run(other.env, 'bind', 'ada', objectId)).status).toBe(0)
      expect((await run(other.env, 'list')).out).toContain(`bound to ${objectId}`)
      await other.store.query("INSERT INTO hr VALUES ('2', NULL, true, false)")
      expect((await run(other.env, 'list')).out).toContain('(no user name)\t2\t')
      const hostile = 'eve\u001b[2J\u009b1m\nroot\t\u202e\u{e0041}'
      await other.store.query('INSERT INTO hr VALUES ($1, $2, true, false)', ['3', hostile])
      expect((await run(other.env, 'list')).out).toContain(
        '\neve\\u001b[2J\\u009b1m\\u000aroot\\u0009\\u202e\\udb40\\udc41\t3\t',
      )
      const json = (await run(other.env, 'list', '--json')).out
      expect(json).toMatch(/^[\x20-\x7e]+$/)
      expect(JSON.parse(json)).toContainEqual(expect.objectContaining({ userName: hostile }))
      expect((await run(other.env, 'end-sessions', hostile)).out).toMatch(
        /^Ended every session of eve\\u001b/,
      )
    } finally {
      await other.close()
    }
  })

  it('does not change a view that replaced its table', async () => {
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
        expect((await run(other.env, ...args)).problem).toContain('does not write')
      }
      expect(await other.store.query('SELECT user_name FROM hr WHERE is_active')).toEqual([
        { user_name: 'ada' },
      ])
    } finally {
      await other.close()
    }
  })
})

describe('npm run employees', () => {
  it('shows help, and names wrong usage', async () => {
    expect(await run({}, '--help')).toMatchObject({
      status: 0,
      out: expect.stringContaining('Usage: npm run employees'),
    })
    expect(await run({})).toMatchObject({ status: 2, problem: expect.stringContaining('Give a command.') })
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
    for (const [args, problem] of [
      [['add'], '`add` needs a NAME.'],
      [['bind'], '`bind` needs a NAME and an OBJECT-ID.'],
      [['bind', 'ada'], '`bind` needs an OBJECT-ID.'],
      [['bind', 'ada', objectId, 'x'], '`bind` takes only a NAME and an OBJECT-ID.'],
      [['list', 'ada'], '`list` takes no arguments.'],
    ] as const) {
      expect(await run({}, ...args)).toMatchObject({ status: 2, problem: expect.stringContaining(problem) })
    }
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

  it('reports a store that does not answer, without its password', async () => {
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
    ['half a body', '{"success":true,"result":[{"results"', 'did not answer'],
    ['errors that are not a list', '{"success":false,"errors":"no","result":null}', 'no reason given'],
    [
      'a result that is not a list',
      '{"success":true,"errors":[],"result":{"results":[]}}',
      'no reason given',
    ],
    [
      'an error of several lines',
      '{"success":false,"errors":[{"code":1,"message":"a\\u001b[2J\\nb"}]}',
      'a\\u001b[2J\\u000ab (1)',
    ],
  ])('reports a D1 response with %s', async (name, body, expected) => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': body.length + (name === 'half a body' ? 9 : 0) })
      response.write(body, () => (name === 'half a body' ? response.destroy() : response.end()))
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

  it('runs as a program, like npm run keys', async () => {
    const node = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: root })
    expect((await node('src/employees/cli.ts', '--help')).stdout).toContain('Exit status')
    await expect(node('src/employees/cli.ts', 'list')).rejects.toMatchObject({ code: 2 })
    expect((await node('src/session/keys.ts', 'new')).stdout).toMatch(/^k\d{8}-\w{4}:[\w-]{43}\n$/)
    await expect(node('src/session/keys.ts')).rejects.toMatchObject({ code: 2 })
  })
})
