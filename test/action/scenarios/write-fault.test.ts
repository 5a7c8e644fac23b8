import { describe, expect } from 'vitest'
import { after, before, list, onPut, put, scenario } from '../../support/stage.ts'
import { transientFaults } from './fault-answers.ts'

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
        // A slow one waits for the first attempts of the others, and is read again then.
        const turns = sent.filter((one, at) => one !== sent[at - 1])
        expect(turns, fault).toEqual(commit ? [write, read] : [write, read, write])
      }
      const count = commit ? /^28$/ : /^(4\d|5[0-2])$/
      expect(run.outputs).toMatchObject({ changed: 'true', requests: expect.stringMatching(count) })
      expect(run.annotations.map(({ level }) => level)).toEqual(Array(commit ? 10 : 0).fill('warning'))
      expect(run.log.match(/^Another warning: /gm) ?? []).toHaveLength(commit ? 2 : 0)
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
    expect(run.summary.replaceAll('\\', '')).toContain(`| home.example.com | A | ${before} | unknown |`)
    expect(await stage.dnsRequests()).toEqual([list, put(record), list, put(record), list])
  })
})
