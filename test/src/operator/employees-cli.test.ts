import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, dialects, openDatabase } from '../support/databases.ts'
import { runEmployees as run } from '../support/operator.ts'

const objectId = '0f8fad5b-d9cb-469f-a165-70867728950e'

describe.each(dialects)('npm run employees with %s', dialect => {
  let database: Database
  const operate = (...args: string[]) => run(database.env, ...args)
  beforeAll(async () => {
    database = await openDatabase(dialect)
  })
  afterAll(() => database?.close())

  it('migrates, adds, lists, deactivates and activates', async () => {
    expect(await operate('migrate')).toMatchObject({ status: 0 })
    expect((await operate('migrate')).out).toMatch(/: the tables are up to date\.$/)
    expect((await operate('add', 'ada', '--id', '7', '--admin')).out).toBe(
      'Added ada (7) as an administrator.',
    )
    expect((await operate('add', 'bob', '--dry-run')).out).toMatch(/^Would add bob \(/)
    expect((await operate('deactivate', 'ada')).out).toBe('Deactivated ada and ended every session.')
    expect((await database.employees.checkSession('s', '7', Date.now() - 1000)).employeeEnded).toBe(true)
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
    expect((await database.employees.checkSession('s', '9', Date.now() - 1000)).employeeEnded).toBe(true)
    expect((await operate('unbind', 'carol')).out).toBe('carol is not bound.')
    expect((await operate('end-sessions', 'ada')).status).toBe(0)
    expect((await database.employees.checkSession('s', '7', Date.now() + 1000)).employeeEnded).toBe(false)
  })

  it('reports in a dry run exactly what would happen', async () => {
    await operate('add', 'erik', '--id', '20')
    await operate('add', 'fay', '--id', '21')
    await operate('bind', 'erik', objectId)
    const list = (await operate('list', '--json')).out
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
    expect((await database.employees.checkSession('s', '20', Date.now() - 60_000)).employeeEnded).toBe(false)
    await operate('end-sessions', 'erik')
    expect((await database.employees.checkSession('s', '20', Date.now() - 60_000)).employeeEnded).toBe(true)
    await operate('unbind', 'erik')
  })

  it.each([['activate'], ['deactivate']])(
    'ends the earlier sessions of an inactive employee before it runs %s',
    async command => {
      const id = `15-${command}`
      await operate('add', command, '--id', id)
      // Another program switches the flag, and nobody asks the handler meanwhile.
      await database.store.query('UPDATE employees SET is_active = false WHERE id = $1', [id])
      const ended = async () =>
        (await database.employees.checkSession('s', id, Date.now() - 60_000)).employeeEnded
      expect((await operate(command, command, '--dry-run')).status).toBe(0)
      expect(await ended()).toBe(false)
      expect((await operate(command, command)).status).toBe(0)
      expect(await ended()).toBe(true)
    },
  )

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

  describe('with many employees', () => {
    let other: Database
    let folder: string
    const work = (...args: string[]) => run(other.env, ...args, '--operator', 'grace')
    async function fileOf(text: string) {
      const path = join(folder, `${randomUUID()}.csv`)
      await writeFile(path, text)
      return path
    }
    beforeAll(async () => {
      other = await openDatabase(dialect)
      folder = await mkdtemp(join(tmpdir(), 'employees-'))
      expect((await work('migrate')).status).toBe(0)
    })
    afterAll(async () => {
      await rm(folder, { recursive: true, force: true })
      await other?.close()
    })
    const list = async () => JSON.parse((await work('list', '--json')).out) as readonly { id: string }[]
    const endedFor = async (id: string) =>
      (await other.employees.checkSession('s', id, Date.now() - 60_000)).employeeEnded

    it('imports a file, the same one again without a change, and ends sessions of the deactivated', async () => {
      const rows = Array.from({ length: 1201 }, (_, index) => `${index},person${index},true`)
      const file = await fileOf(`id,user_name,is_active\n${rows.join('\n')}\n`)
      const dry = await work('import', file, '--dry-run')
      expect(dry.out).toContain('Would add person7 (7): user_name person7, is_active true, is_admin false.\n')
      expect(dry.out).toMatch(/: 1201 added, 0 updated, 0 unchanged\.$/)
      expect(await list()).toEqual([])
      const first = await work('import', file)
      expect(first.out).toMatch(/^Imported .*: 1201 added, 0 updated, 0 unchanged\.$/)
      expect(first.logged).toHaveLength(1201)
      expect(await list()).toHaveLength(1201)
      const again = await work('import', file)
      expect(again.out).toMatch(/: 0 added, 0 updated, 1201 unchanged\.$/)
      expect(again.logged).toEqual([])
      const leavers = await fileOf(
        'id;user_name;is_active;is_admin\n1;person1;false;false\n2;Person.Two;true;true\n',
      )
      expect((await work('import', leavers)).out).toMatch(/: 0 added, 2 updated, 0 unchanged\.$/)
      expect((await list()).filter(({ id }) => id === '1' || id === '2')).toEqual(
        expect.arrayContaining([
          { id: '1', userName: 'person1', isActive: false, isAdmin: false, boundTo: null },
          { id: '2', userName: 'Person.Two', isActive: true, isAdmin: true, boundTo: null },
        ]),
      )
      expect([await endedFor('1'), await endedFor('2')]).toEqual([true, false])
      await other.store.query("UPDATE employees SET is_active = false WHERE id = '3'")
      const back = await fileOf('id,user_name,is_active\n3,person3,true\n4,person4,true\n')
      expect((await work('import', back)).out).toMatch(/: 0 added, 1 updated, 1 unchanged\.$/)
      expect([await endedFor('3'), await endedFor('4')]).toEqual([true, false])
    })

    it('imports nothing of a file with a problem, or when the last statement fails', async () => {
      const before = await list()
      const broken = await fileOf(
        'id,user_name,is_active\nn1,newcomer,true\n3,person3,perhaps\n4,person5,true\n',
      )
      const refused = await work('import', broken)
      expect(refused).toMatchObject({ status: 1, logged: [] })
      expect(refused.problem).toMatch(
        / has 1 problem\. Nothing was changed\.\nline 3: is_active is "perhaps"/,
      )
      expect((await work('import', join(folder, 'none.csv'))).problem).toContain('cannot be read (ENOENT)')
      await other.store.query('CREATE UNIQUE INDEX one_newcomer ON employees (is_admin) WHERE is_admin')
      const conflicting = await fileOf('id,user_name,is_admin\nn1,newcomer,false\nn2,second,true\n')
      const failed = await work('import', conflicting)
      expect(failed).toMatchObject({ status: 1, logged: [] })
      await other.store.query('DROP INDEX one_newcomer')
      expect(await list()).toEqual(before)
      expect((await work('audit')).out).toMatch(/\timport add\tn1\tuser_name newcomer, .*\tnot done\n/)
      expect((await work('audit')).out).not.toMatch(/newcomer.*\tdone\n/)
    })

    it('unbinds several employees or all, and ends everybody’s sessions', async () => {
      for (const n of [10, 11, 12, 13]) {
        const account = objectId.replace('0f', String(n))
        expect((await work('bind', `person${n}`, account)).status).toBe(0)
      }
      const bound = async () => (await other.store.query('SELECT employee_id FROM homeport_bindings')).length
      expect(await work('unbind', 'person10', 'nobody')).toMatchObject({ status: 1, logged: [] })
      expect(await bound()).toBe(4)
      const two = await work('unbind', 'person10', objectId.replace('0f', '11'))
      expect(two.out).toMatch(/^Unbound person10 .*\nUnbound employee 11 /)
      expect(two.logged).toHaveLength(2)
      expect((await work('unbind', '--all', '--dry-run')).out).toBe(
        'Would unbind 2 employees and end their sessions.',
      )
      expect((await work('unbind', '--all')).out).toBe('Unbound 2 employees and ended their sessions.')
      expect(await bound()).toBe(0)
      expect([await endedFor('12'), await endedFor('14')]).toEqual([true, false])
      expect((await work('end-sessions', '--all')).out).toBe('Ended every session of everybody.')
      expect(await endedFor('14')).toBe(true)
      expect((await other.employees.checkSession('s', '14', Date.now() + 1000)).employeeEnded).toBe(false)
    })

    it('records each change with who and when, in the store and in the log', async () => {
      const before = Date.now()
      const { logged } = await work('deactivate', 'person20')
      expect(logged).toEqual([
        { level: 'info', event: 'change', operator: 'grace', change: 'deactivate', employeeId: '20' },
      ])
      const [latest] = JSON.parse((await work('audit', '--json')).out) as { at: number }[]
      expect(latest).toEqual({
        at: expect.any(Number),
        operator: 'grace',
        action: 'deactivate',
        employeeId: '20',
        detail: 'person20',
        outcome: 'done',
      })
      expect(latest?.at).toBeGreaterThanOrEqual(before)
      const shown = await work('audit')
      expect(shown.out).toMatch(/^\d{4}-[^\t]+Z\tgrace\tdeactivate\t20\tperson20\tdone\n/)
      expect(shown.out).toContain('\tgrace\tend-sessions\teverybody\t')
      expect(shown.out).toMatch(/\n100 changes in .*, newest first\.$/)
      expect((await work('activate', 'person20', '--dry-run')).logged).toEqual([])
    })
  })

  it('binds nobody whose id a different record has, and can still unbind and end sessions', async () => {
    const other = await openDatabase(dialect)
    const work = (...args: string[]) => run(other.env, ...args)
    const ended = async (id: string) =>
      (await other.employees.checkSession('s', id, Date.now() - 60_000)).employeeEnded
    try {
      await other.store.query(
        'CREATE TABLE hr (id INTEGER, user_name VARCHAR(40), is_active BOOLEAN, is_admin BOOLEAN)',
      )
      await other.store.query(
        "INSERT INTO hr VALUES (7, 'alice-adm', true, true), (7, 'alice', true, false), (8, 'bob', true, false), (8, 'bob', true, false)",
      )
      await other.store.query('CREATE VIEW employees AS SELECT * FROM hr')
      expect((await work('migrate', '--existing-employees')).status).toBe(0)
      for (const name of ['alice', 'alice-adm']) {
        expect(await work('bind', name, objectId)).toMatchObject({
          status: 1,
          problem: `${name} shares the id 7 with a different record. Give each record an id of its own. \`check\` lists such ids.`,
        })
      }
      await other.employees.bind('7', objectId, 1)
      expect((await work('unbind', 'alice')).out).toContain(`Unbound alice from ${objectId}`)
      expect(await ended('7')).toBe(true)
      await other.store.query('DELETE FROM homeport_ended_sessions')
      expect((await work('end-sessions', 'alice')).status).toBe(0)
      expect([await ended('7'), await ended('8')]).toEqual([true, false])
      // A record that a JOIN doubles is one.
      expect((await work('bind', 'bob', objectId)).status).toBe(0)
      const listed = JSON.parse((await work('list', '--json')).out) as { userName: string }[]
      expect(listed.map(({ userName }) => userName)).toEqual(['alice', 'alice-adm', 'bob'])
      expect(await work('end-sessions', '--all')).toMatchObject({ status: 0 })
      expect(await ended('8')).toBe(true)
    } finally {
      await other.close()
    }
  })

  it('does not change employees in the operator’s own table or view', async () => {
    const other = await openDatabase(dialect)
    try {
      await other.store.query(
        'CREATE TABLE hr (id TEXT, user_name TEXT, is_active BOOLEAN, is_admin BOOLEAN)',
      )
      await other.store.query("INSERT INTO hr VALUES ('1', 'ada', true, false)")
      await other.store.query('CREATE VIEW employees AS SELECT * FROM hr')
      expect((await run(other.env, 'migrate', '--existing-employees')).status).toBe(0)
      for (const args of [['add'], ['deactivate'], ['activate'], ['admin', 'on'], ['import']] as const) {
        const [command, ...rest] = args
        expect((await run(other.env, command, 'ada', ...rest)).problem).toContain('does not write')
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
      [['admin', 'ada'], '`admin` needs on or off.'],
      [['admin', 'ada', 'yes'], '`admin` needs on or off, and got yes.'],
      [['unbind'], '`unbind` needs a NAME or an OBJECT-ID.'],
      [['unbind', 'ada', '--all'], '`unbind` takes names or --all, not both.'],
      [['deactivate', '--all'], '`deactivate` takes no --all.'],
      [['list', '--operator', 'a\tb'], 'Give yours with --operator.'],
    ] as const) {
      expect(await run({}, ...args)).toMatchObject({ status: 2, problem: expect.stringContaining(problem) })
    }
    for (const [args, problem] of [
      [['list', '--bogus\u001b[2J'], "Unknown option '--bogus\\u001b[2J'. Run"],
      [['add', 'ada', '--id'], "Option '--id <value>' argument missing. Run"],
      [['add', 'ada', '--id', '-x'], "Option '--id' argument is ambiguous. Run"],
    ] as const) {
      expect(await run({}, ...args)).toMatchObject({ status: 2, problem: expect.stringContaining(problem) })
    }
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
    const access = { D1_DATABASE_ID: 'x', CLOUDFLARE_ACCOUNT_ID: 'a', CLOUDFLARE_API_TOKEN: 'hunter2' }
    for (const apiUrl of ['http://api.example.com/client/v4', 'api.example.com']) {
      expect(await run({ ...access, CLOUDFLARE_API_URL: apiUrl }, 'list')).toMatchObject({
        status: 2,
        problem: expect.stringMatching(/^CLOUDFLARE_API_URL is not an https URL\./),
      })
    }
    for (const name of ['HTTPS_PROXY', 'https_proxy']) {
      expect(await run({ ...access, [name]: 'socks5://u:hunter2@127.0.0.1:9' }, 'list')).toMatchObject({
        status: 2,
        problem: expect.stringMatching(/^HTTPS_PROXY is not the URL of a proxy, such as \S+ Run/),
      })
    }
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
    [
      'hundreds of errors',
      JSON.stringify({ success: false, errors: Array(900).fill({ code: 1, message: 'wrong' }) }),
      `: ${'wrong (1); '.repeat(28).slice(0, 300)}.`,
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
})
