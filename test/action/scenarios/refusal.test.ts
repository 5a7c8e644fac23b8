import { describe, expect } from 'vitest'
import { before, list, onList, onPut, put, scenario, zoneList } from '../../support/stage.ts'
import { refusals } from '../records/refusals.ts'

const unknownToken = `cfut_${'A'.repeat(48)}`
const refuse = (status: number, code: number, message: string) =>
  ({ kind: 'errors', status, errors: [{ code, message }] }) as const

describe('a token', () => {
  scenario('malformed: fails without another attempt', async ({ stage }) => {
    const run = await stage.run({ 'api-token': 'not-a-token-of-any-kind' })
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'token-rejected', requests: '4' })
    expect(run.annotations[0]?.message).toMatch(/code 6003 .*code 6111/)
    expect(await stage.dnsRequests()).toEqual([list])
  })

  scenario('unknown: the message names both causes and what to do', async ({ stage }) => {
    const run = await stage.run({ 'api-token': unknownToken })
    expect(run.outputs['reason']).toBe('token-rejected')
    expect(run.annotations[0]?.message).toMatch(
      /token is wrong, expired or revoked, or it does not cover zone /,
    )
    expect(run.annotations[0]?.message).toContain('permissionGroupKeys=')
    expect(await stage.dnsRequests()).toEqual([list])
  })

  scenario('with a mistyped zone ID: the message says to check zone-id first', async ({ stage }) => {
    const { zoneId } = stage.description.cloudflare
    const mistyped = zoneId.slice(0, -1) + (zoneId.endsWith('0') ? '1' : '0')
    const run = await stage.run({ 'zone-id': mistyped })
    expect(run.annotations[0]?.message).toMatch(/Check the zone ID first: .*Create a token.*Set zone-id to/)
  })

  scenario('refused with 403 without a code', async ({ stage }) => {
    await stage.setFaults({
      match: onList,
      answer: { kind: 'respond', status: 403, body: '<html>Forbidden</html>' },
    })
    expect((await stage.run()).outputs['reason']).toBe('token-rejected')
    expect(await stage.dnsRequests()).toEqual([list])
  })
})

describe('a zone', () => {
  scenario('unknown: the message says where to find the ID', async ({ stage }) => {
    const zoneId = 'f'.repeat(32)
    const run = await stage.run({ 'zone-id': zoneId, 'api-token': stage.description.cloudflare.adminToken })
    expect(run.outputs['reason']).toBe('zone-not-found')
    expect(run.annotations[0]?.message).toMatch(/code 7003 .*overview page/)
    expect(await stage.dnsRequests()).toEqual([
      `GET /client/v4/zones/${zoneId}/dns_records?name=home.example.com`,
    ])
  })
})

describe('a refused write', () => {
  scenario(
    'is not repeated and not read back; the summary shows what each record holds',
    async ({ stage }) => {
      const refused = [refusals.badContent, refusals.noRecord] as const
      const hostnames = refused.map((_, index) => `n${index}.example.com`)
      const records = await stage.setRecords(...hostnames.map(name => ({ name, content: before })))
      const faults = refused.map(([status, code, message], index) => ({
        match: { ...onPut, path: records[index]?.id ?? '' },
        answer: refuse(status, code, message),
      }))
      await stage.setFaults(...faults)
      const run = await stage.run({ hostname: hostnames.join('\n') })
      expect(run.outputs).toMatchObject({ result: 'failed', changed: 'false' })
      expect(JSON.parse(run.outputs['records'] ?? '')).toMatchObject([
        { reason: 'write-rejected', changed: false, 'previous-address': before },
        { reason: 'record-missing', changed: false, 'previous-address': before },
      ])
      for (const [index, [, code]] of refused.entries()) {
        expect(run.annotations[index]?.message).toContain(`code ${code}`)
      }
      const summary = run.summary.replaceAll('\\', '')
      expect(summary).toContain(`| n0.example.com | A | ${before} | ${before} |`)
      expect(summary).toContain(`| n1.example.com | A | ${before} | – |`)
      expect((await stage.dnsRequests()).toSorted()).toEqual([zoneList(), ...records.map(put)].toSorted())
      expect(await stage.records()).toEqual(records)
    },
  )

  scenario('200 with success false: read back, because either may be wrong', async ({ stage }) => {
    const body =
      '{"success":false,"errors":[{"code":9207,"message":"Request body is invalid."}],"result":null}'
    const answer = { kind: 'respond', status: 200, body } as const
    const [record] = await stage.setRecords({ content: before })
    await stage.setFaults({ match: onPut, commit: true, answer })
    expect((await stage.run()).outputs).toMatchObject({ result: 'updated', changed: 'true' })
    expect(await stage.dnsRequests()).toEqual([list, put(record), list])

    const [again] = await stage.setRecords({ content: before })
    await stage.setFaults({ match: onPut, times: null, answer })
    const run = await stage.run()
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'write-unconfirmed', changed: 'false' })
    expect(run.annotations[0]?.message).toContain(
      '200, code 9207 "Request body is invalid.", without success',
    )
    expect(await stage.dnsRequests()).toEqual([list, put(again), list, put(again), list])
  })
})
