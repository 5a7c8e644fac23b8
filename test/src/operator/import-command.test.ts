import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { dialects, openDatabase } from '../support/databases.ts'
import { operatorOf } from '../support/operator.ts'

describe.each(dialects)('npm run employees -- import with %s', async dialect => {
  const database = await openDatabase(dialect)
  afterAll(database.close)
  const folder = temporaryFolder()
  const { operate, query, endedFor } = operatorOf(database)

  /** Imports a file with a text. */
  async function importText(contents: string | Uint8Array, ...args: string[]) {
    const path = join(folder, `${randomUUID()}.csv`)
    await writeFile(path, contents)
    return operate('import', path, ...args)
  }

  /** Every employee, such as `7 ada inactive`. */
  async function employees(): Promise<readonly string[]> {
    const rows = await query('SELECT id, user_name, is_active, is_admin FROM employees')
    return rows
      .map(({ id, user_name: name, is_active: active, is_admin: admin }) =>
        [id, name, ...(active ? [] : ['inactive']), ...(admin ? ['admin'] : [])].join(' '),
      )
      .sort()
  }
  const summary = (text: string) => ({ status: 0, out: expect.stringMatching(`: ${text}\\.$`) })

  beforeAll(() => operate('migrate'))
  beforeEach(async () => {
    for (const table of ['employees', 'homeport_bindings', 'homeport_ended_sessions', 'homeport_audit'])
      await query(`DELETE FROM ${table}`)
  })

  it('adds and updates many, the same file again without a change, and ends the sessions of leavers', async () => {
    const rows = Array.from({ length: 1201 }, (_, index) => `${index},person${index},true`)
    const text = `id,user_name,is_active\n${rows.join('\n')}\n`
    const dry = await importText(text, '--dry-run')
    expect(dry.out).toContain('Would add person7 (7): user_name person7, is_active true, is_admin false.\n')
    expect(dry).toMatchObject(summary('1201 added, 0 updated, 0 unchanged'))
    expect(await employees()).toEqual([])
    const first = await importText(text)
    expect(first).toMatchObject(summary('1201 added, 0 updated, 0 unchanged'))
    expect(first.logged).toHaveLength(1201)
    const added = await query("SELECT employee_id FROM homeport_audit WHERE action = 'import add'")
    expect(added).toHaveLength(1201)
    const again = await importText(text)
    expect(again).toMatchObject({ ...summary('0 added, 0 updated, 1201 unchanged'), logged: [] })
    await query("UPDATE employees SET is_active = false WHERE id = '3'")
    const changed = 'id;user_name;is_active;is_admin\n1;person1;0;0\n2;Person.Two;1;1\n3;person3;1;0\n'
    expect(await importText(changed)).toMatchObject(summary('0 added, 3 updated, 0 unchanged'))
    const after = await employees()
    expect(after).toEqual(expect.arrayContaining(['1 person1 inactive', '2 Person.Two admin', '3 person3']))
    expect(await Promise.all(['1', '2', '3'].map(id => endedFor(id)))).toEqual([true, false, true])
    // What the file does not say stays as it is.
    await importText('id,user_name\n2,person2\n')
    expect(await employees()).toContain('2 person2 admin')
    const [latest] = JSON.parse((await operate('audit', '--json')).out)
    expect(latest).toMatchObject({ action: 'import update' })
  })

  it('lets employees swap names, and pass them on', async () => {
    await importText('id,user_name\na,ada\nA,bob\nc,cem\nd,dea\n')
    expect(await importText('id,user_name\na,Bob\nA,ada\nc,dea\nd,fay\ne,cem\n')).toMatchObject(
      summary('1 added, 4 updated, 0 unchanged'),
    )
    expect(await employees()).toEqual(['A ada', 'a Bob', 'c dea', 'd fay', 'e cem'])
  })

  // PostgreSQL refuses all of them, as `audit.test.ts` holds.
  if (dialect === 'd1')
    it('completes with a second run what the store refused of a large file', async () => {
      const count = 5003
      const ids = Array.from({ length: count }, (_, index) => index)
      const fileOf = (nameOf: (id: number) => number) =>
        `id,user_name\n${ids.map(id => `${id},person${nameOf(id)}`).join('\n')}\n`
      await importText(fileOf(id => id))
      // Names pass on in a ring, so that those of the first part come from the last.
      const renamed = fileOf(id => (id + count - 1) % count)
      await query(
        "CREATE TRIGGER full BEFORE UPDATE ON employees WHEN new.user_name = 'person5001' BEGIN SELECT RAISE(ABORT, 'full'); END",
      )
      const refused = await importText(renamed)
      await query('DROP TRIGGER full')
      const problem = `5000 of ${count} changes were made. Import the file again`
      expect(refused).toMatchObject({ status: 1, problem: expect.stringContaining(problem) })
      expect(refused.logged).toHaveLength(5000)
      expect(await employees()).toContain('0 person5002')
      expect(await importText(renamed)).toMatchObject(summary('0 added, 3 updated, 5000 unchanged'))
      expect(await employees()).toEqual(ids.map(id => `${id} person${(id + count - 1) % count}`).sort())
    })

  // The rest is the same on both.
  if (dialect === 'd1') return

  it('changes nothing if a file has a problem, such as the letters of a spreadsheet on Windows', async () => {
    await operate('add', 'jörg', '--id', '7')
    const text = 'id;user_name\r\n6;bob\r\n7;jörg\r\n8;\xe1rka\r\n'
    expect(await importText(Buffer.from(text, 'latin1'))).toMatchObject({
      status: 1,
      logged: [],
      problem: expect.stringMatching(/ has 1 problem\. Nothing was changed\.\nline 3: is not UTF-8\./),
    })
    expect((await importText('id,user_name\na,JÖRG\n')).problem).toContain(
      'line 2: user_name JÖRG belongs to 7.',
    )
    expect((await operate('import', join(folder, 'none'))).problem).toContain('cannot be read (ENOENT)')
    expect(await employees()).toEqual(['7 jörg'])
    expect(await importText(text)).toMatchObject(summary('2 added, 0 updated, 1 unchanged'))
    expect(await employees()).toEqual(['6 bob', '7 jörg', '8 árka'])
  })

  it('renames nobody who is bound without --rename', async () => {
    await importText('id,user_name\n7,ada\n8,bob\n9,cem\n10,dea\n')
    for (const name of ['ada', 'bob', 'dea']) await operate('bind', name, randomUUID())
    const before = await employees()
    // Of a bound employee, a change of case is no rename: the account still matches.
    const text = 'id,user_name\n7,ada.l\n8,bert\n9,cem.o\n10,Dea\n11,eve\n'
    const refused = await importText(text)
    expect(refused).toMatchObject({ status: 3, logged: [] })
    expect(refused.problem).toMatch(
      / renames 2 bound employees\. Nothing was changed\.\nada \(7\) to ada\.l\nbob \(8\) to bert\n.*--rename/,
    )
    const dry = await importText(text, '--dry-run')
    expect(dry).toMatchObject({ status: 3, problem: expect.stringContaining(' renames 2 bound employees.') })
    expect(dry.out).toContain('Would update ada (7): user_name ada to ada.l')
    expect(await employees()).toEqual(before)
    expect((await importText('id,user_name\n9,cem.o\n10,Dea\n')).status).toBe(0)
    expect(await importText(text, '--rename')).toMatchObject(summary('1 added, 2 updated, 2 unchanged'))
  })

  describe('with --missing deactivate', () => {
    beforeEach(async () => {
      await importText('id,user_name,is_active\n1,ada,1\n2,bob,1\n3,cem,1\n4,dea,0\n')
    })
    const missing = ['--missing', 'deactivate']

    it('deactivates who is not in the file, and ends their sessions', async () => {
      const text = 'id,user_name\n1,ada\n2,bob\n5,eve\n'
      const dry = await importText(text, ...missing, '--dry-run')
      expect(dry.out).toContain('Would deactivate cem (3): is_active true to false (not in the file).\n')
      const counts = summary('1 added, 0 updated, 2 unchanged, 1 not in the file deactivated')
      expect(dry).toMatchObject(counts)
      const done = await importText(text, ...missing)
      expect(done).toMatchObject(counts)
      expect(done.logged.map(({ change, employeeId }) => `${change} ${employeeId}`).sort()).toEqual([
        'import add 5',
        'import deactivate 3',
      ])
      expect(await employees()).toEqual(['1 ada', '2 bob', '3 cem inactive', '4 dea inactive', '5 eve'])
      expect([await endedFor('3'), await endedFor('1')]).toEqual([true, false])
    })

    it('asks before it deactivates more than half of the active employees', async () => {
      const one = 'id,user_name\n1,ada\n'
      expect(await importText(one, ...missing)).toMatchObject({
        status: 3,
        problem: expect.stringMatching(
          / lacks 2 of 3 active employees\. Nothing was changed\.\nbob \(2\)\ncem \(3\)\n.*--max-missing 2/,
        ),
      })
      expect((await importText(one, ...missing, '--max-missing', '1')).status).toBe(3)
      expect(await employees()).toEqual(['1 ada', '2 bob', '3 cem', '4 dea inactive'])
      expect((await importText(one, ...missing, '--max-missing', '2')).status).toBe(0)
      expect(await employees()).toEqual(['1 ada', '2 bob inactive', '3 cem inactive', '4 dea inactive'])
    })

    it('never takes a file without employees as a list of those who stay', async () => {
      const { problem } = await importText('id,user_name\n', ...missing, '--max-missing', '9')
      expect(problem).toContain('lists no employees')
    })
  })
})
