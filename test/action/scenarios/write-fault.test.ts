import { describe, expect } from 'vitest'
import { after, before, list, onList, onPost, onPut, put, scenario, zoneNames } from '../../support/stage.ts'
import { html, listBody, transientFaults } from './fault-answers.ts'

const post = 'POST dns_records'

describe('a write whose outcome is unknown', () => {
  const hostnames = transientFaults.map((_, index) => `n${index}.example.com`)

  for (const commit of [true, false]) {
    const name = commit
      ? 'is confirmed by reading the record back if it was done'
      : 'is repeated after reading the record back if it was lost'
    scenario(`${name}, whatever the fault`, async ({ stage }) => {
      const records = await stage.setRecords(...hostnames.map(name => ({ name, content: before })))
      const faults = transientFaults.map(([, answer], index) => ({
        match: { ...onPut, path: records[index]?.id ?? '' },
        commit,
        answer,
      }))
      await stage.setFaults(...faults)
      const run = await stage.run({ hostname: hostnames.join('\n'), timeout: '20s' })
      const results: readonly { result: string }[] = JSON.parse(run.outputs['records'] ?? '')
      const requests = await stage.dnsRequests()
      for (const [index, [fault]] of transientFaults.entries()) {
        const [record, write] = [records[index], put(records[index])]
        const sent = requests.filter(one => one === write || one.endsWith(`?name=${record?.name}`))
        const read = `GET dns_records?name=${record?.name}`
        expect(results[index], fault).toMatchObject({ result: 'updated' })
        expect(sent, fault).toEqual(commit ? [write, read] : [write, read, write])
      }
      expect(run.outputs).toMatchObject({ changed: 'true', requests: commit ? '28' : '40' })
      expect(run.annotations.map(({ level }) => level)).toEqual(Array(commit ? 12 : 0).fill('warning'))
      for (const { message } of run.annotations) expect(message).toContain('reading')
      expect((await stage.records()).map(({ content }) => content)).toEqual(Array(12).fill(after))
    })
  }

  scenario('fails if the write is lost twice, and says so', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    await stage.setFaults({ match: onPut, times: null, answer: { kind: 'reset' } })
    const run = await stage.run()
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'write-unconfirmed', changed: 'false' })
    expect(run.annotations[0]?.message).toMatch(/^Could not confirm the update of home\.example\.com/)
    expect(await stage.dnsRequests()).toEqual([list, put(record), list, put(record), list])
  })

  scenario('is uncertain if the repetition is refused, whatever the status', async ({ stage }) => {
    const refusals = [
      [400, 9207],
      [403, 10000],
      [404, 81044],
    ] as const
    const names = hostnames.slice(0, refusals.length)
    const records = await stage.setRecords(...names.map(name => ({ name, content: before })))
    const faults = refusals.flatMap(([status, code], index) => {
      const match = { ...onPut, path: records[index]?.id ?? '' }
      const answer = { kind: 'errors', status, errors: [{ code, message: 'No.' }] }
      return [
        { match, commit: true, answer: html(504) },
        { match, answer },
      ]
    })
    const oldList = { kind: 'alter', result: { content: before } }
    await stage.setFaults(...faults, { match: onList, skip: 1, times: null, answer: oldList })
    const run = await stage.run({ hostname: names.join('\n') })
    const errors = run.annotations.filter(({ level }) => level === 'error')
    const requests = await stage.dnsRequests()
    for (const [index, [status]] of refusals.entries()) {
      expect(errors[index]?.message, `${status}`).toMatch(
        /^Could not confirm .*refused the second .*The record may hold either/,
      )
      expect(errors[index]?.message).toContain(`${status}`)
      const row = `| ${names[index]} | A | ${before} | unknown |`
      expect(run.summary.replaceAll('\\', '')).toContain(row)
      expect(requests.filter(request => request === put(records[index]))).toHaveLength(2)
      expect(requests.filter(request => request.endsWith(`?name=${names[index]}`))).toHaveLength(2)
    }
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'write-unconfirmed' })
    expect(`${run.log}${run.summary}`).not.toMatch(/nothing was written/i)
    expect((await stage.records()).map(({ content }) => content)).toEqual(Array(3).fill(after))
  })

  scenario('creates: a repetition refused as a duplicate confirms the first attempt', async ({ stage }) => {
    await stage.setRecords()
    const nothing = JSON.stringify(await listBody(stage))
    await stage.setFaults(
      { match: onPost, commit: true, answer: html(502) },
      { match: onList, skip: 2, answer: { kind: 'respond', status: 200, body: nothing } },
    )
    const run = await stage.run({ create: 'true' })
    expect(run.outputs).toMatchObject({ result: 'created', changed: 'true', address: after })
    const [record] = await stage.records()
    expect(run.outputs['record-id']).toBe(record?.id)
    expect(await stage.dnsRequests()).toEqual([list, zoneNames, post, list, post, list])
  })
})
