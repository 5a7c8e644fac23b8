import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Database, dialects, openDatabase } from '../support/databases.ts'
import { runEmployees } from '../support/operator.ts'

describe.each(dialects)('npm run employees -- import with %s', dialect => {
  let database: Database
  let folder: string
  const operate = (...args: string[]) => runEmployees(database.env, ...args)

  async function fileOf(contents: string | Uint8Array): Promise<string> {
    const path = join(folder, `${randomUUID()}.csv`)
    await writeFile(path, contents)
    return path
  }

  /** Imports a file with a text. */
  const importText = async (text: string, ...args: string[]) => operate('import', await fileOf(text), ...args)

  /** Every employee, such as `7 ada inactive`. */
  async function employees(): Promise<readonly string[]> {
    const list = JSON.parse((await operate('list', '--json')).out) as readonly {
      readonly id: string
      readonly userName: string
      readonly isActive: boolean
    }[]
    return list.map(({ id, userName, isActive }) => `${id} ${userName}${isActive ? '' : ' inactive'}`).sort()
  }

  beforeAll(async () => {
    database = await openDatabase(dialect)
    folder = await mkdtemp(join(tmpdir(), 'employees-'))
    await operate('migrate')
  })
  beforeEach(async () => {
    await database.store.query('DELETE FROM employees')
    await database.store.query('DELETE FROM homeport_bindings')
  })
  afterAll(async () => {
    await database?.close()
    await rm(folder, { recursive: true, force: true })
  })

  async function bind(name: string): Promise<void> {
    expect((await operate('bind', name, randomUUID())).status).toBe(0)
  }

  it('refuses names as a spreadsheet on Windows saves them, and takes them as UTF-8', async () => {
    await operate('add', 'jörg', '--id', '7')
    const text = 'id;user_name\r\n6;bob\r\n7;jörg\r\n8;\xe1rka\r\n'
    expect(await operate('import', await fileOf(Buffer.from(text, 'latin1')))).toMatchObject({
      status: 1,
      problem: expect.stringMatching(
        / has 1 problem\. Nothing was changed\.\nline 3: is not UTF-8\. Save the file as UTF-8/,
      ),
    })
    expect(await employees()).toEqual(['7 jörg'])
    expect((await importText(text)).out).toMatch(/: 2 added, 0 updated, 1 unchanged\.$/)
    expect(await employees()).toEqual(['6 bob', '7 jörg', '8 árka'])
  })

  it('renames nobody who is bound without --rename', async () => {
    for (const [name, id] of [
      ['ada', '7'],
      ['bob', '8'],
      ['cem', '9'],
      ['dea', '10'],
    ] as const) {
      await operate('add', name, '--id', id)
    }
    for (const name of ['ada', 'bob', 'dea']) await bind(name)
    const before = await employees()
    // Of a bound employee, a change of case is no rename: the account still matches.
    const text =
      'id,user_name,is_admin\n7,ada.l,false\n8,bert,false\n9,cem.o,false\n10,Dea,false\n11,eve,true\n'
    const refused = await importText(text)
    expect(refused).toMatchObject({ status: 3, logged: [] })
    expect(refused.problem).toMatch(
      / renames 2 bound employees\. Nothing was changed\.\nada \(7\) to ada\.l\nbob \(8\) to bert\n.*--rename/,
    )
    expect(await employees()).toEqual(before)
    const dry = await importText(text, '--dry-run')
    expect(dry).toMatchObject({
      status: 3,
      problem: refused.problem.replace(/^\S+/, dry.problem.split(' ')[0] ?? ''),
    })
    expect(dry.out).toContain('Would update ada (7): user_name ada to ada.l')
    expect((await importText('id,user_name\n9,cem.o\n10,Dea\n')).status).toBe(0)
    expect((await importText(text, '--rename')).out).toMatch(/: 1 added, 2 updated, 2 unchanged\.$/)
    expect(await employees()).toEqual(['10 Dea', '11 eve', '7 ada.l', '8 bert', '9 cem.o'])
  })

  it('lets employees swap names, and pass them on', async () => {
    for (const [name, id] of [
      ['ada', 'a'],
      ['bob', 'A'],
      ['cem', 'c'],
      ['dea', 'd'],
    ] as const) {
      await operate('add', name, '--id', id)
    }
    expect((await importText('id,user_name\na,Bob\nA,ada\nc,dea\nd,fay\ne,cem\n')).out).toMatch(
      /: 1 added, 4 updated, 0 unchanged\.$/,
    )
    expect(await employees()).toEqual(['A ada', 'a Bob', 'c dea', 'd fay', 'e cem'])
    expect(await importText('id,user_name\na,ada\n')).toMatchObject({
      status: 1,
      problem: expect.stringContaining('line 2: user_name ada belongs to A.'),
    })
  })

  describe('with --missing deactivate', () => {
    beforeEach(async () => {
      await importText('id,user_name\n1,ada\n2,bob\n3,cem\n4,dea\n')
      await operate('deactivate', 'dea')
    })
    const missing = ['--missing', 'deactivate']

    it('deactivates who is not in the file, and ends their sessions', async () => {
      const text = 'id,user_name\n1,ada\n2,bob\n5,eve\n'
      const dry = await importText(text, ...missing, '--dry-run')
      expect(dry.out).toContain('Would deactivate cem (3): is_active true to false (not in the file).\n')
      expect(dry.out).toMatch(/: 1 added, 0 updated, 2 unchanged, 1 not in the file deactivated\.$/)
      expect(await employees()).toEqual(['1 ada', '2 bob', '3 cem', '4 dea inactive'])
      const done = await importText(text, ...missing)
      expect(done.out).toMatch(/: 1 added, 0 updated, 2 unchanged, 1 not in the file deactivated\.$/)
      expect(done.logged.map(({ change, employeeId }) => `${change} ${employeeId}`).sort()).toEqual([
        'import add 5',
        'import deactivate 3',
      ])
      expect(await employees()).toEqual(['1 ada', '2 bob', '3 cem inactive', '4 dea inactive', '5 eve'])
      const ended = async (id: string) =>
        (await database.employees.checkSession('s', id, Date.now() - 60_000)).employeeEnded
      expect([await ended('3'), await ended('1')]).toEqual([true, false])
    })

    it('asks before it deactivates more than half of the active employees', async () => {
      const before = await employees()
      const refused = await importText('id,user_name\n1,ada\n', ...missing)
      expect(refused).toMatchObject({
        status: 3,
        problem: expect.stringMatching(
          / lacks 2 of 3 active employees\. Nothing was changed\.\nbob \(2\)\ncem \(3\)\n.*--max-missing 2/,
        ),
      })
      expect((await importText('id,user_name\n1,ada\n', ...missing, '--max-missing', '1')).status).toBe(3)
      expect(await employees()).toEqual(before)
      expect((await importText('id,user_name\n1,ada\n', ...missing, '--max-missing', '2')).status).toBe(0)
      expect(await employees()).toEqual(['1 ada', '2 bob inactive', '3 cem inactive', '4 dea inactive'])
    })

    it('never takes a file without employees as a list of those who stay', async () => {
      expect(await importText('id,user_name\n', ...missing, '--max-missing', '9')).toMatchObject({
        status: 1,
        problem: expect.stringContaining('lists no employees'),
      })
    })
  })
})
