import { describe, expect, it } from 'vitest'
import { readEmployeesFile } from '../../../src/operator/import-file.ts'

function problemsOf(text: string | readonly number[]): readonly string[] {
  const read = readEmployeesFile(Buffer.from(text as string))
  return 'problems' in read ? read.problems : []
}

describe('a file of employees', () => {
  it.each([
    ['commas', 'id,user_name,is_active,is_admin\n7,ada,true,false\n'],
    ['the columns of the API in another order', 'IsAdmin,UserName,Id,IsActive\nF,ada,7,T\n'],
    ['a spreadsheet’s separators and mark', '\ufeffid;user_name;is_active;is_admin\r\n7;ada;1;0\r\n'],
    ['quotes and blanks', '"id" , "user_name",is_active,is_admin\n\n 7 ,"ada",TRUE,f\n\n'],
  ])('can have %s', (_, text) => {
    const read = readEmployeesFile(Buffer.from(text))
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
    ['id,user_name,is_active\n7,ada,\n', 'line 2: is_active is ""'],
    // As `check` refuses flags that are not boolean: elsewhere, Y counts as false.
    ['id,user_name,is_admin\n7,ada,Y\n', 'line 2: is_admin is "Y". Use true or false'],
    ['id,user_name\n7,ada\n\n7,bob\n', 'line 4: has the same id as line 2'],
    ['id,user_name\n7,ada\n8,ADA\n', 'line 3: has the same user_name as line 2'],
    ['sep=;\nid;user_name\n7;ada\n', 'line 1: is "sep=", which only spreadsheets read. Delete this line.'],
    ['id,user_name\n7,“ada”\n', 'line 2: user_name is "“ada”". Remove the marks around it.'],
    ['id,user_name\n7,="ada"\n', 'Check its quotes, without = before them.'],
    ['id,user_name\n"=""7""",ada\n', 'Remove the marks around it.'],
    ['id;user_name\n1,23457E+11;ada\n', 'line 2: id is "1,23457E+11". A spreadsheet cut digits off'],
    ['id,user_name\n1.2E+5,ada\n', 'line 2: id is "1.2E+5". A spreadsheet cut digits off'],
    // Half a letter at the end, and a spreadsheet.
    [[0x61, 0x0a, 0xc3], 'line 2: is not UTF-8. Save the file as'],
    [[0x50, 0x4b, 0x03, 0x04, 0x14, 0x00], 'line 1: is not UTF-8. Save the file as'],
  ])('is refused: %j', (text, problem) => {
    expect(problemsOf(text).join('\n')).toContain(problem)
  })

  it('can have ids and names that only look like those of a spreadsheet', () => {
    for (const [id, name] of [
      ['12E5', 'o’brien'],
      ['=7', 'ada'],
      ['1E+5', 'sep'],
    ] as const)
      expect(readEmployeesFile(Buffer.from(`id,user_name\n${id},${name}\n`))).toMatchObject({
        value: [{ id, userName: name }],
      })
  })

  it('reports every problem at once', () => {
    expect(problemsOf('id,user_name,is_admin\n,a b,x\n7,ada,true\n7,bob,2\n')).toHaveLength(5)
  })
})
