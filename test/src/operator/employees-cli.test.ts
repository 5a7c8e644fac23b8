import { chmod, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listen } from '../../support/listen.ts'
import { enterableFolder } from '../../support/temporary-folder.ts'
import { dialects, openDatabase } from '../support/databases.ts'
import { operatorOf, runEmployees as run } from '../support/operator.ts'

const objectId = '0f8fad5b-d9cb-469f-a165-70867728950e'
/** Another account for each number of two digits. */
const account = (n: number) => objectId.replace('0f', String(n))

describe.each(dialects)('npm run employees with %s', async dialect => {
  const database = await openDatabase(dialect)
  afterAll(database.close)
  const { employees } = database
  const { operate, query, endedFor } = operatorOf(database)
  beforeAll(() => operate('migrate'))
  beforeEach(async () => {
    for (const table of ['employees', 'homeport_bindings', 'homeport_ended_sessions'])
      await query(`DELETE FROM ${table}`)
  })
  async function employ() {
    await query("INSERT INTO employees (id, user_name) VALUES ('7', 'ada'), ('8', 'bob'), ('9', 'eve')")
    await employees.bind('8', objectId, 1)
  }

  it('adds, lists, and changes what an employee may', async () => {
    expect((await operate('migrate')).out).toMatch(/: the tables are up to date\.$/)
    expect((await operate('add', 'ada', '--id', '7', '--admin')).out).toBe(
      'Added ada (7) as an administrator.',
    )
    expect((await operate('deactivate', 'ada')).out).toBe('Deactivated ada and ended every session.')
    expect(await endedFor('7')).toBe(true)
    expect(JSON.parse((await operate('list', '--json')).out)).toEqual([
      { id: '7', userName: 'ada', isActive: false, isAdmin: true, boundTo: null },
    ])
    expect((await operate('activate', 'ada')).out).toBe('Activated ada.')
    expect((await operate('admin', 'ada', 'off')).out).toBe('ada is no longer an administrator.')
    expect((await operate('list')).out).toMatch(/^ada\t7\tactive\tnot bound\n1 employee in/)
  })

  it('binds accounts to employees, and unbinds some or all, which ends sessions', async () => {
    for (const n of [10, 11, 12, 13, 14]) {
      await query('INSERT INTO employees (id, user_name) VALUES ($1, $2)', String(n), `person${n}`)
      if (n === 14) continue
      const id = account(n)
      expect((await operate('bind', `person${n}`, id.toUpperCase())).out).toBe(`Bound person${n} to ${id}.`)
    }
    const bound = async () => (await query('SELECT employee_id FROM homeport_bindings')).length
    expect(await operate('unbind', 'person10', 'nobody')).toMatchObject({ status: 1, logged: [] })
    expect(await bound()).toBe(4)
    await query("DELETE FROM employees WHERE id = '11'")
    expect((await operate('bind', 'person14', account(11))).problem).toContain(
      `employee 11, whose record is gone. Run \`unbind ${account(11)}\` first`,
    )
    const two = await operate('unbind', 'person10', account(11).toUpperCase())
    expect(two.out).toMatch(/^Unbound person10 .*\nUnbound employee 11 /)
    expect(two.logged).toHaveLength(2)
    expect((await operate('unbind', 'person10')).out).toMatch(
      /^person10 is not bound\..* `unbind OBJECT-ID`\.$/,
    )
    expect((await operate('unbind', '--all', '--dry-run')).out).toBe(
      'Would unbind 2 employees and end their sessions.',
    )
    expect(await bound()).toBe(2)
    expect((await operate('unbind', '--all')).out).toBe('Unbound 2 employees and ended their sessions.')
    expect(await bound()).toBe(0)
    const ended = await Promise.all(['10', '11', '12', '14'].map(id => endedFor(id)))
    expect(ended).toEqual([true, true, true, false])
    expect((await operate('end-sessions', '--all')).out).toBe('Ended every session of everybody.')
    expect([await endedFor('14'), await endedFor('14', -1000)]).toEqual([true, false])
  })

  // These are the same on both.
  if (dialect === 'postgres') {
    it('reports in a dry run exactly what would happen, and does nothing', async () => {
      await employ()
      const list = (await operate('list', '--json')).out
      for (const [args, why] of [
        [['bind', 'ada', objectId], 'already bound to bob. Run `unbind bob` first'],
        [['bind', 'bob', account(30)], `already bound to ${objectId}. Run \`unbind bob\` first`],
        [['bind', 'ada', 'ada@example.com'], 'is not an Object ID'],
        [['bind', 'ada', '00000000-0000-4000-8000-000000000000'], 'is not an Object ID'],
        [['add', 'gus', '--id', '8'], 'taken by bob'],
        [['add', 'gus', '--id', 'a\tb'], 'is not an id'],
        [['add', 'BOB'], 'The name is taken by bob (8).'],
        [['add', 'g us'], 'is not a user name'],
        [['deactivate', 'gus'], 'No employee is named gus. Run `list`'],
        [['deactivate', 'BOB'], 'No employee is named BOB. Use bob.'],
        [['unbind', account(30)], 'is not bound to an employee'],
      ] as const) {
        const [dry, real] = [await operate(...args, '--dry-run'), await operate(...args)]
        expect(dry).toMatchObject({ status: 1, problem: expect.stringContaining(why), logged: [] })
        expect(real).toEqual(dry)
      }
      for (const args of [
        'unbind bob',
        'deactivate bob',
        'end-sessions bob',
        'add gus',
        `bind ada ${account(30)}`,
      ])
        expect(await operate(...args.split(' '), '--dry-run')).toMatchObject({
          out: expect.stringMatching(/^Would (unbind|deactivate|end|add|bind) /),
          logged: [],
        })
      expect((await operate('list', '--json')).out).toBe(list)
      expect(await endedFor('8')).toBe(false)
      expect((await operate('bind', 'bob', objectId)).out).toContain('already')
      expect((await operate('activate', 'bob')).out).toBe('bob is already active.')
    })

    it.each(['activate', 'deactivate'])(
      'ends the earlier sessions of an employee whom HR made inactive, before it runs %s',
      async command => {
        await employ()
        await query("UPDATE employees SET is_active = false WHERE id = '9'")
        expect((await operate(command, 'eve')).status).toBe(0)
        expect(await endedFor('9')).toBe(true)
      },
    )

    it('records each change with who and when, in the store and in the log', async () => {
      await employ()
      const before = Date.now()
      const { logged } = await operate('admin', 'ada', 'on', '--operator', 'grace')
      const change = { operator: 'grace', employeeId: '7' }
      expect(logged).toEqual([{ level: 'info', event: 'change', change: 'admin on', ...change }])
      const [latest] = JSON.parse((await operate('audit', '--json')).out) as { at: number }[]
      const recorded = { action: 'admin on', detail: 'ada', ...change }
      expect(latest).toEqual({ at: expect.any(Number), ...recorded })
      expect(latest?.at).toBeGreaterThanOrEqual(before)
      await operate('end-sessions', '--all')
      const { out } = await operate('audit')
      expect(out).toMatch(/\n\d{4}-[^\t]+Z\tgrace\tadmin on\t7\tada\n/)
      expect(out).toMatch(/^\S+\t[^\t]+\tend-sessions\teverybody\t/)
      expect(out).toMatch(/\n\d+ changes in .*, newest first\.$/)
    })

    it.each([
      [
        { password: 'hunter2' },
        /password authentication failed .* Check the user and the password in DATABASE_URL/,
      ],
      [{ pathname: '/missing' }, /"missing" does not exist\. Check the name at the end of DATABASE_URL/],
    ])('says what to do if PostgreSQL refuses %j', async (change, message) => {
      const { href } = Object.assign(new URL(database.env['DATABASE_URL'] ?? ''), change)
      const { status, problem } = await run({ DATABASE_URL: href }, 'list')
      expect([status, problem]).toEqual([1, expect.stringMatching(message)])
    })
  }

  it('writes no employees of HR’s view, and binds nobody whose id a different record has, and prints names without controls', async () => {
    await query('DROP TABLE employees')
    // An empty table would look right, and lock everybody out.
    expect((await operate('migrate')).problem).toMatch(/has no table or view employees.*Create or restore it/)
    await query('CREATE TABLE hr (id INTEGER, user_name VARCHAR(40), is_active BOOLEAN, is_admin BOOLEAN)')
    for (const record of ["7, 'alice-adm', true, true", "7, 'alice', true, false", "8, 'bob', true, false"])
      await query(`INSERT INTO hr VALUES (${record})`)
    // A record that a JOIN doubles is one.
    await query(
      "CREATE VIEW employees AS SELECT * FROM hr UNION ALL SELECT * FROM hr WHERE user_name = 'bob'",
    )
    expect((await operate('migrate', '--existing-employees')).status).toBe(0)
    for (const args of [['add'], ['deactivate'], ['activate'], ['admin', 'on'], ['import']] as const) {
      const [command, ...rest] = args
      expect((await operate(command, 'bob', ...rest)).problem).toContain('does not write')
    }
    for (const name of ['alice', 'alice-adm'])
      expect((await operate('bind', name, objectId)).problem).toMatch(/^\S+ shares the id 7 with a different/)
    await employees.bind('7', objectId, 1)
    expect((await operate('unbind', 'alice')).out).toContain(`Unbound alice from ${objectId}`)
    expect(await endedFor('7')).toBe(true)
    await query('DELETE FROM homeport_ended_sessions')
    expect((await operate('end-sessions', 'alice')).status).toBe(0)
    expect([await endedFor('7'), await endedFor('8')]).toEqual([true, false])
    expect((await operate('bind', 'bob', objectId)).status).toBe(0)
    const listed = JSON.parse((await operate('list', '--json')).out) as { userName: string }[]
    expect(listed.map(({ userName }) => userName)).toEqual(['alice', 'alice-adm', 'bob'])
    expect((await operate('end-sessions', '--all')).status).toBe(0)
    expect(await endedFor('8')).toBe(true)

    const hostile = 'eve\u001b[2J\u009b1m\nroot\t\u202e\u{e0041}'
    await query('INSERT INTO hr VALUES (30, NULL, true, false), (31, $1, true, false)', hostile)
    const { out } = await operate('list')
    expect(out).toContain('(no user name)\t30\t')
    expect(out).toContain('\neve\\u001b[2J\\u009b1m\\u000aroot\\u0009\\u202e\\udb40\\udc41\t31\t')
    const json = (await operate('list', '--json')).out
    expect(json).toMatch(/^[\x20-\x7e]+$/)
    expect(JSON.parse(json)).toContainEqual(expect.objectContaining({ userName: hostile }))
    expect((await operate('end-sessions', hostile)).out).toMatch(/^Ended every session of eve\\u001b/)
  })
})

describe('npm run employees without a store that answers', () => {
  const access = { D1_DATABASE_ID: 'x', CLOUDFLARE_ACCOUNT_ID: 'a', CLOUDFLARE_API_TOKEN: 'hunter2' }
  const postgres = { DATABASE_URL: 'postgresql://u:hunter2@127.0.0.1:9/x' }

  it('shows help', async () => {
    expect((await run({}, '-h')).out).toContain('Usage: npm run employees')
  })

  it.each([
    [[], 'Give a command.'],
    [['constructor', 'ada'], 'There is no command "constructor"'],
    [['bind'], '`bind` needs a NAME and an OBJECT-ID.'],
    [['list', 'ada'], '`list` takes no arguments.'],
    [['admin', 'ada', 'yes'], '`admin` needs on or off, and got yes.'],
    [['unbind', 'ada', '--all'], '`unbind` takes names or --all, not both.'],
    [['deactivate', '--all'], '`deactivate` takes no --all.'],
    [['import', 'x', '--missing', 'delete'], '--missing is delete.'],
    [['import', 'x', '--max-missing', '2'], '--max-missing needs --missing'],
    [['import', 'x', '--missing', 'deactivate', '--max-missing', '-'], '--max-missing is -. Use a number.'],
    [['list', '--operator', 'a\tb'], 'Give yours with --operator.'],
    [['list', '--bogus\u001b[2J'], "Unknown option '--bogus\\u001b[2J'. Run"],
    [['add', 'ada', '--id'], "Option '--id <value>' argument missing. Run"],
    [['list', '--store', 'mysql'], '--store is mysql.'],
  ])('refuses %j', async (args, problem) => {
    expect(await run(postgres, ...args)).toMatchObject({
      status: 2,
      problem: expect.stringContaining(problem),
    })
  })

  it.each([
    [{}, 2, 'DATABASE_URL'],
    [{ D1_DATABASE_ID: 'x' }, 2, 'CLOUDFLARE_ACCOUNT_ID'],
    [{ ...access, ...postgres }, 2, '--store'],
    [{ ...access, CLOUDFLARE_API_URL: 'http://api.example.com' }, 2, 'is not an https URL.'],
    [{ ...access, HTTP_PROXY: 'http://127.0.0.1:9' }, 2, 'HTTP_PROXY would be ignored'],
    [{ ...access, https_proxy: 'socks5://u:hunter2@127.0.0.1:9' }, 2, 'is not the URL of a proxy'],
    [{ DATABASE_URL: 'mysql://x' }, 1, 'DATABASE_URL'],
    [postgres, 1, 'ECONNREFUSED 127.0.0.1:9. Start PostgreSQL, or'],
    [{ DATABASE_URL: 'postgresql://u:hunter2@127.0.0.1:9' }, 1, 'PostgreSQL database u on 127'],
    [{ DATABASE_URL: 'postgresql://u:hunter2/x@127.0.0.1/x' }, 1, 'In a password, write / as %2F'],
    [{ ...access, CLOUDFLARE_API_URL: 'http://127.0.0.1:9' }, 1, 'did not answer'],
  ])('says what is wrong with %j, without its secrets', async (env, status, expected) => {
    const { problem, ...result } = await run(env, 'list')
    expect(result.status).toBe(status)
    expect(problem).toContain(expected)
    expect(problem).not.toContain('hunter2')
  })

  it('reads a secret from a file, and warns if every user of the host can, too', async () => {
    const file = join(enterableFolder(), 'database-url')
    await writeFile(file, postgres.DATABASE_URL)
    await chmod(file, 0o644)
    const { problem } = await run({ DATABASE_URL_FILE: file }, 'list')
    expect(problem).toMatch(/^DATABASE_URL_FILE .*every user of this host.*\n.*ECONNREFUSED/)
    const missing = { status: 2, problem: expect.stringContaining('cannot be read (ENOENT)') }
    expect(await run({ DATABASE_URL_FILE: `${file}2` }, 'list')).toMatchObject(missing)
  })

  it('opens a connection for each request to D1, which closes idle ones', async () => {
    let connections = 0
    let requests = 0
    const answer = {
      success: true,
      errors: [],
      result: [{ results: [{ name: 'employees', kind: 'table' }] }],
    }
    const server = createServer((_, response) => {
      requests += 1
      response.end(JSON.stringify(answer))
    }).on('connection', () => {
      connections += 1
    })
    const CLOUDFLARE_API_URL = await listen(server)
    await run({ ...access, CLOUDFLARE_API_URL }, 'migrate')
    expect(requests).toBeGreaterThan(5)
    expect(connections).toBe(requests)
    server.close()
  })

  it.each([
    ['a result that is no list', '{"success":true,"errors":[],"result":{"results":[]}}', 'no reason given'],
    ['another document', '[]', 'returned 200 without an answer of Cloudflare'],
    ['an error of another form', '{"success":false,"errors":[null]}', 'no reason given'],
    [
      'an error of several lines',
      '{"success":false,"errors":[{"code":1,"message":"a\\u001b[2J\\nb"}]}',
      'a\\u001b[2J\\u000ab (1)',
    ],
    [
      'hundreds of errors',
      JSON.stringify({ success: false, errors: Array(900).fill({ code: 1, message: 'wrong' }) }),
      `: ${Array(10).fill('wrong (1)').join('; ')}.`,
    ],
  ])('reports a D1 response with %s', async (_, body, expected) => {
    const server = createServer((_, response) => response.end(body))
    const CLOUDFLARE_API_URL = await listen(server)
    const { status, problem } = await run({ ...access, CLOUDFLARE_API_URL }, 'list')
    expect([status, problem]).toEqual([1, expect.stringContaining(expected)])
    server.close()
  })
})
