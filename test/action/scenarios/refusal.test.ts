import { describe, expect } from 'vitest'
import { before, list, onPut, put, scenario, zoneList } from '../../support/stage.ts'
import { refusals } from '../records/refusals.ts'

const refuse = (status: number, code: number, message: string) =>
  ({ kind: 'errors', status, errors: [{ code, message }] }) as const

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
