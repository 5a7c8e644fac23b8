import { describe, expect, it } from 'vitest'
import { planImport, readEmployeesFile } from '../../../src/operator/import-file.ts'

const ada = { id: '7', userName: 'ada', isActive: true, isAdmin: true, boundTo: null }

const readText = (text: string) => readEmployeesFile(Buffer.from(text))

function problemsOf(text: string | readonly number[]): readonly string[] {
  const read = readEmployeesFile(Buffer.from(text as string))
  return 'problems' in read ? read.problems : []
}

describe('a file of employees', () => {
  it.each([
    ['commas', 'id,user_name,is_active,is_admin\n7,ada,true,false\n'],
    ['the columns of the API in another order', 'IsAdmin,UserName,Id,IsActive\nF,ada,7,T\n'],
    [
      'a spreadsheet’s semicolons, mark and line ends',
      '\ufeffid;user_name;is_active;is_admin\r\n7;ada;1;0\r\n',
    ],
    ['quotes and blanks', '"id" , "user_name",is_active,is_admin\n\n 7 ,"ada",TRUE,f\n\n'],
  ])('can have %s', (_, text) => {
    const read = readText(text)
    expect(read).toMatchObject({ value: [{ id: '7', userName: 'ada', isActive: true, isAdmin: false }] })
  })

  it.each([
    ['', 'line 1: the file is empty'],
    ['id\n7\n', 'line 1: has no column user_name'],
    ['id,user_name,is_actve\n7,ada,true\n', 'line 1: has the column "is_actve". Use only id, user_name'],
    ['id,user_name,Id\n7,ada,8\n', 'line 1: has the column id twice'],
    ['id,user_name\n7,"ada\n', 'is not CSV (CSV_QUOTE_NOT_CLOSED)'],
    ['id,user_name\n7\n', 'line 2: needs 2 values, as many as the header, but has 1.'],
    ['id,user_name\n,ada\n', 'line 2: id is ""'],
    ['id,user_name\n7,ada@example.com\n', 'line 2: user_name is "ada@example.com"'],
    ['id,user_name\n7,a\u202eda\n', 'line 2: user_name is "a\\u202eda"'.replace('\\', '\\\\')],
    ['id,user_name,is_active\n7,ada,maybe\n', 'line 2: is_active is "maybe". Use true or false'],
    ['id,user_name,is_active\n7,ada,\n', 'line 2: is_active is ""'],
    // As `check` refuses flags that are not boolean: elsewhere, Y counts as false.
    ...['yes', 'no', 'Y', 'n'].map((text): [string, string] => [
      `id,user_name,is_admin\n7,ada,${text}\n`,
      `line 2: is_admin is "${text}". Use true or false`,
    ]),
    ['id,user_name\n7,ada\n\n7,bob\n', 'line 4: has the same id as line 2'],
    ['id,user_name\n7,ada\n8,ADA\n', 'line 3: has the same user_name as line 2'],
  ])('is refused: %j', (text, problem) => {
    expect(problemsOf(text).join('\n')).toContain(problem)
  })

  it('reports every problem at once', () => {
    expect(problemsOf('id,user_name,is_admin\n,a b,x\n7,ada,true\n7,bob,2\n')).toHaveLength(5)
  })
})

describe('the encoding of a file', () => {
  it.each([
    ['a letter of Windows-1252', [0x61, 0x0a, 0x0a, 0xe9, 0x0a], 3],
    ['half a letter at the end', [0x61, 0x0a, 0xc3], 2],
    ['a surrogate', [0xed, 0xa0, 0x80], 1],
    ['UTF-16 with its mark', [0xff, 0xfe, 0x61, 0x00], 1],
    ['UTF-16 without a mark', [0x69, 0x00, 0x64, 0x00], 1],
    ['a spreadsheet', [0x50, 0x4b, 0x03, 0x04, 0x14, 0x00], 1],
  ])('is not guessed: %s', (_, bytes, line) => {
    expect(problemsOf(bytes)).toEqual([
      expect.stringMatching(`^line ${line}: is not UTF-8\\. Save the file as`),
    ])
  })
})

describe('an import', () => {
  function plan(text: string) {
    const read = readText(text)
    if ('problems' in read) throw new Error(read.problems.join('\n'))
    return planImport(read.value, [ada], false)
  }

  it('adds and updates employees, and leaves alone those who are the same or not in the file', () => {
    expect(plan('id,user_name\n7,ada\n8,bob\n')).toEqual({
      value: {
        changes: [
          {
            kind: 'add',
            id: '8',
            userName: 'bob',
            isActive: true,
            isAdmin: false,
            detail: 'user_name bob, is_active true, is_admin false',
          },
        ],
        unchanged: 1,
        boundRenames: [],
      },
    })
    expect(plan('id,user_name,is_active\n7,ada.l,false\n')).toMatchObject({
      value: {
        changes: [
          { kind: 'update', isAdmin: true, detail: 'user_name ada to ada.l, is_active true to false' },
        ],
        unchanged: 0,
      },
    })
    expect(plan('id,user_name\n')).toEqual({ value: { changes: [], unchanged: 0, boundRenames: [] } })
  })

  it('refuses a name that belongs to another employee', () => {
    expect(plan('id,user_name\n8,Ada\n')).toEqual({
      problems: ['line 2: user_name Ada belongs to 7. Rename that employee first.'],
    })
  })
})
