import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { connectCloudflare } from '../../infra/http.ts'
import {
  adoption,
  checkCreation,
  findAdoptionProblem,
  findHostProblem,
} from '../../infra/resources/existing-record.ts'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { askCloudflare } from '../support/services.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())
beforeEach(() => sandbox.control.setFaults([]))

let names = 0
/** Creates records of a new name. Returns it, and their ids. */
async function withRecords(...records: readonly object[]) {
  names += 1
  const name = `host${names}.example.com`
  const ids: string[] = []
  const { cloudflare } = sandbox.description
  const path = `/zones/${cloudflare.zoneId}/dns_records`
  for (const record of records)
    ids.push(
      (await askCloudflare<{ id: string }>(cloudflare, 'POST', path, { name, ttl: 300, ...record })).id,
    )
  return { name, ids }
}

function check(
  name: string,
  isSingle = true,
  token: string | null = sandbox.description.cloudflare.adminToken,
) {
  const { zoneId, apiUrl } = sandbox.description.cloudflare
  return checkCreation(zoneId, { name, type: 'A' }, isSingle, { baseUrl: apiUrl, apiToken: token })
}

const address = { type: 'A', content: '203.0.113.50' }

it('a record that exists is named with the commands that adopt it, and no other one', async () => {
  const { name, ids } = await withRecords(address, { type: 'AAAA', content: '2001:db8::1' })
  const said = `${name} already has an A record: "${ids[0]}"`
  await expect(check(name)).rejects.toThrow(said)
  await expect(check(name)).rejects.toThrow(`importRecordId ${ids[0]}, then pulumi up`)
  await expect(check(name, false)).rejects.toThrow(
    `importRecordId 2> /dev/null); ${name} A ${ids[0]}", for each`,
  )
  await expect(check(`other-${name}`)).resolves.toBeUndefined()
})

it('a record of another name or type is not adopted, nor one that cannot be read', async () => {
  const { name, ids } = await withRecords(address)
  const { zoneId, apiUrl, adminToken } = sandbox.description.cloudflare
  const send = connectCloudflare({ baseUrl: apiUrl, apiToken: adminToken })
  const find = (wanted: { name: string; type: 'A' | 'AAAA' }, id = ids[0] ?? '') =>
    findAdoptionProblem(zoneId, id, wanted, send).then(problem => problem?.text ?? null)
  expect(await find({ name, type: 'A' })).toBeNull()
  expect(await find({ name: 'other.example.com', type: 'A' })).toContain(`is the record "${name} A"`)
  expect(await find({ name, type: 'AAAA' })).toContain(`would change it to ${name} AAAA`)
  expect(await find({ name, type: 'A' }, 'f'.repeat(32))).toContain('Cloudflare answered 404')
})

it('a record that Cloudflare keeps for a custom domain keeps nothing from becoming one', async () => {
  const place = { accountId: 'a', zoneId: 'z', hostname: 'in.example.com' }
  const withRecord = (meta: object) => (path: string) => {
    const result = path.includes('/dns_records') ? [{ id: '1', type: 'AAAA', content: '100::', meta }] : []
    return Promise.resolve({ status: 200, body: { success: true, result } })
  }
  expect(await findHostProblem(place, withRecord({ read_only: true }))).toBeNull()
  expect(await findHostProblem(place, withRecord({}))).toMatchObject({ text: expect.stringContaining('"1"') })
})

it('a name outside the zone is refused, unless the token may not read the zone', async () => {
  await expect(check('home.example.net')).rejects.toThrow(
    'home.example.net is not in the zone "example.com": Cloudflare would create home.example.net.example.com',
  )
  const match = { method: 'GET', path: '/zones/[0-9a-f]{32}$' }
  sandbox.control.setFaults([{ match, answer: { kind: 'errors', status: 403, errors: [{ code: 9109 }] } }])
  await expect(check('home.example.net')).resolves.toBeUndefined()
})

it('two records are both named, and none to adopt or to delete', async () => {
  const { name, ids } = await withRecords(address, { ...address, content: '203.0.113.51' })
  const message = await check(name).catch(String)
  expect(message).toMatch(/already has 2 A records.*importRecordId RECORD_ID/)
  for (const id of ids) expect(message).toContain(id)
  expect(message).not.toMatch(/203\.0\.113|[Dd]elete/)
})

it('a CNAME is refused in other words', async () => {
  const { name, ids } = await withRecords({ type: 'CNAME', content: 'elsewhere.example.net' })
  await expect(check(name)).rejects.toThrow(
    `${name} has a CNAME record ("${ids[0]}"), so it cannot have an A`,
  )
})

it('an id that is none is in no command', () => {
  expect(adoption('$(reboot)')).toContain('importRecordId RECORD_ID, then')
})

it('records that cannot be listed are refused, and the reason is named', async () => {
  const { name } = await withRecords()
  await expect(check(name, true, null)).rejects.toThrow('there is no API token in CLOUDFLARE_API_TOKEN')
  await expect(check(name, true, 'x'.repeat(40))).rejects.toThrow(
    /Cloudflare answered 40\d.*permission DNS Write/,
  )
  const match = { method: 'GET', path: '/dns_records$' }
  sandbox.control.setFaults([{ match, times: null, answer: { kind: 'reset' } }])
  await expect(check(name)).rejects.toThrow(/before creating one: no response.*\. Run pulumi up again/)
  const body = '<html>Just a moment</html>'
  sandbox.control.setFaults([{ match, answer: { kind: 'respond', status: 403, body } }])
  const told = await check(name).catch(String)
  expect(told).toMatch(/says nothing of the token\. Run pulumi up again/)
  expect(told).not.toContain('zone ID')
})
