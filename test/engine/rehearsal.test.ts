import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Fault } from '../../sandbox/http/faults.ts'
import { findLeft } from '../real/accounts.ts'
import { openDouble } from '../real/double.ts'
import { rehearse } from '../real/rehearsal.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
let double: Awaited<ReturnType<typeof openDouble>>
beforeAll(async () => {
  double = await openDouble(7, true)
})
afterAll(() => double.close())

async function tell(confirm: (title: string) => Promise<boolean>) {
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  const terms = { print, confirm, folder, lacks: 'employees' }
  return { status: await rehearse(double.accounts, terms), text: lines.join('\n') }
}

it('stops at the step in which Cloudflare answers otherwise, and says what it left', async () => {
  const fault: Fault = {
    match: { service: 'cloudflare', method: 'PUT', path: '/dns_records/' },
    times: null,
    answer: { kind: 'errors', errors: [{ code: 9999 }] },
  }
  const { status, text } = await tell(async title => {
    if (title.includes('follows the address')) double.control.setFaults([fault])
    return true
  })
  double.control.setFaults([])
  expect(text).toContain('✗ action')
  expect(text.split('\n').at(-1)).toMatch(
    /^Left: the A record "homeport-check\.example\.com".* Remove it: npm run test:real -- --clean$/,
  )
  expect(status).toBe(1)
  expect(await readdir(folder)).toEqual([])
})

it('removes what a broken one left, tells the whole story, records it, and leaves nothing', async () => {
  const titles: string[] = []
  const { status, text } = await tell(async title => titles.push(title) > 0)
  expect(text).toMatch(
    /^removed, since an earlier rehearsal left it: the A record "homeport-check\.example\.com"/,
  )
  expect(text).not.toMatch(/✗|differs/)
  expect(text).toMatch(/^4 of 12 {2}The operator imports employees\n {3}not asked: there are no employees$/m)
  expect(titles).toHaveLength(9)
  // The double answers each recorded request as the accounts did.
  expect(text).toMatch(/^same {4}rehearsal$/m)
  expect(status).toBe(0)
  expect(await findLeft(double.accounts)).toEqual([])
  expect(await readdir(folder)).toEqual(['rehearsal.json'])
})

it('does nothing that nobody confirms', async () => {
  double.control.clearJournal()
  expect((await tell(async () => false)).status).toBe(1)
  const writes = double.control
    .journal()
    .filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'))
  expect(writes).toEqual([])
})
