import { describe, expect } from 'vitest'
import { startRelay } from '../../support/relay.ts'
import { before, onPut, put, type Stage, scenario } from '../../support/stage.ts'

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}.example.com`)
const sketches = (count: number) => names(count).map(name => ({ name, content: before }))
const hostname = (count: number) => names(count).join('\n')

const writes = (stage: Stage) => stage.dnsRequests().filter(request => request.startsWith('PUT'))

describe('a failure of some names', () => {
  scenario('fails the run, which says which names are correct', async ({ stage }) => {
    const records = stage.setRecords(...sketches(6))
    const answer = { kind: 'errors', status: 400, errors: [{ code: 9005, message: 'No.' }] } as const
    stage.setFaults({ match: { ...onPut, path: records[3]?.id ?? '' }, answer })
    const run = await stage.run({ hostname: hostname(6) })
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'write-rejected', changed: 'true' })
    const results = Array(6).fill({ result: 'updated' }).with(3, { result: 'failed' })
    expect(JSON.parse(run.outputs['records'] ?? '')).toMatchObject(results)
    const summary = run.summary.replaceAll('\\', '')
    for (const text of [run.log, summary])
      expect(text).toContain('5 of 6 records are correct. Not correct: n3.')
    expect(summary).toContain(`| n3.example.com | A | ${before} | ${before} |`)
    expect(writes(stage).filter(request => request === put(records[3]))).toHaveLength(1)
  })
})

scenario('connections are kept: four writers open one each', async ({ stage }) => {
  const records = stage.setRecords(...sketches(40))
  const relay = await startRelay(stage.description.cloudflare.baseUrl, { roundTripMs: 20 })
  const run = await stage.run({ hostname: hostname(40), 'base-url': relay.baseUrl })
  await relay.close()
  expect(run.outputs).toMatchObject({ result: 'updated', requests: '44' })
  expect(new Set(writes(stage))).toEqual(new Set(records.map(put)))
  expect(relay.connections()).toBe(4)
})
