import { describe, expect, it } from 'vitest'
import type { FaultAnswer } from '../../sandbox/http/faults.ts'
import { onPut, type Stage, startStage } from '../support/stage.ts'
import { first, home, hostLine, second } from './endpoint.ts'
import { startGate } from './gate.ts'
import { expectNoSecret } from './secrets.ts'
import { ask, runtimes, type Start, type Started, startWorker } from './started.ts'
import { settingsFor } from './support.ts'

/** inadyn waits ten seconds for an answer, and the endpoint answers within eight. Here, it answers within 2.4. */
const patienceMs = 3000

const third = '1.0.0.1'
const query = (address: string) => `/nic/update?hostname=${home}&myip=${address}`
/** Runs a test with a sandbox of its own, so that several can wait at a time. */
async function withStage(run: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await startStage()
  try {
    await run(stage)
  } finally {
    await stage.close()
  }
}

/** Runs a test with one or more endpoints that have the same settings. */
async function withEndpoints<const Starts extends readonly Start[]>(
  starts: Starts,
  stage: Stage,
  change: Readonly<Record<string, string>>,
  run: (...endpoints: { readonly [Index in keyof Starts]: Started }) => Promise<void>,
): Promise<void> {
  const env = { ...settingsFor(stage.description), HOSTS: await hostLine(home), PLAIN_HTTP: 'true' }
  const endpoints = await Promise.all(starts.map(start => start({ ...env, ...change }, { isShort: true })))
  try {
    await run(...(endpoints as { readonly [Index in keyof Starts]: Started }))
  } finally {
    await Promise.all(endpoints.map(({ stop }) => stop()))
  }
}

async function addresses(stage: Stage): Promise<readonly string[]> {
  return (await stage.records()).filter(({ name }) => name === home).map(({ content }) => content)
}

const good = (address: string) => ({ status: 200, body: `good ${address}\n` })
const mayPass = { status: 503, headers: { 'retry-after': '60' }, body: '911\n' }

describe.concurrent.each(runtimes)('the endpoint %s', (_, start) => {
  it('answers in time if Cloudflare never answers a write, and the next ping writes', async () => {
    await withStage(stage =>
      withEndpoints([start], stage, {}, async endpoint => {
        await stage.setRecords({ content: first })
        const never: FaultAnswer = { kind: 'stall' }
        await stage.setFaults({ match: onPut, times: null, answer: never })
        const startedMs = performance.now()
        const answer = await ask(endpoint, query(second))
        expect(performance.now() - startedMs).toBeLessThan(patienceMs)
        expect(answer).toMatchObject(mayPass)
        expect(await addresses(stage)).toEqual([first])
        await stage.setFaults()
        const next = await ask(endpoint, query(second))
        expect(next).toMatchObject(good(second))
        expect(await addresses(stage)).toEqual([second])
        await expectNoSecret(stage, endpoint, answer, next)
      }),
    )
  })

  it('corrects an older address that lands late, with the next ping', () =>
    withStage(async stage => {
      const gate = await startGate(stage.description.cloudflare.baseUrl)
      try {
        await withEndpoints([start], stage, { BASE_URL: gate.baseUrl }, async endpoint => {
          await stage.setRecords({ content: first })
          gate.hold('PUT')
          expect(await ask(endpoint, query(second))).toMatchObject(mayPass)
          // The address changes back, and then the writes that hung arrive.
          expect((await ask(endpoint, query(first))).body).toBe(`nochg ${first}\n`)
          await gate.release('PUT')
          expect(await addresses(stage)).toEqual([second])
          expect(await ask(endpoint, query(first))).toMatchObject(good(first))
          expect(await addresses(stage)).toEqual([first])
        })
      } finally {
        gate.close()
      }
    }))
})

describe.concurrent('two Workers that get a ping in one moment', () => {
  const both = [startWorker, startWorker] as const

  it('both write to one record, and the one whose address does not stay says 911', () =>
    withStage(async stage => {
      const gate = await startGate(stage.description.cloudflare.baseUrl)
      try {
        await withEndpoints(both, stage, { BASE_URL: gate.baseUrl }, async (one, other) => {
          await stage.setRecords({ content: first })
          gate.hold('PUT')
          const answers = [ask(one, query(second)), ask(other, query(third))]
          await gate.until(held => [second, third].every(address => held.join().includes(address)))
          // Both write before one of them reads again.
          gate.hold('GET')
          await gate.release('PUT')
          await gate.release('GET')
          const [content = '', ...others] = await addresses(stage)
          expect(others).toEqual([])
          const bodies = (await Promise.all(answers)).map(({ body }) => body)
          const stays = content === second ? second : third
          for (const body of bodies) expect(['911\n', `good ${stays}\n`]).toContain(body)
          expect(await ask(one, query(second))).toMatchObject({ status: 200 })
          expect(await addresses(stage)).toEqual([second])
        })
      } finally {
        gate.close()
      }
    }))
})
