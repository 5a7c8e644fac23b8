import { describe, expect, it } from 'vitest'
import type { Fault, FaultAnswer } from '../../sandbox/http/faults.ts'
import { onList, onPut, type Stage, startStage } from '../support/stage.ts'
import { first, home, hostLine, second } from './endpoint.ts'
import { startGate } from './gate.ts'
import { expectNoSecret } from './secrets.ts'
import { type Answered, ask, runtimes, type Start, type Started, startWorker } from './started.ts'
import { settingsFor } from './support.ts'

/** inadyn waits ten seconds for an answer, and the endpoint answers within eight. Here, it answers within 2.4. */
const patienceMs = 3000

const third = '1.0.0.1'
const query = (address: string) => `/nic/update?hostname=${home}&myip=${address}`
const always = (match: Fault['match'], answer: FaultAnswer): Fault => ({ match, times: null, answer })
const respond = (status: number): FaultAnswer => ({ kind: 'respond', status })
/** The read that a ping begins with succeeds, and none after it. */
const awayAfterWrite: Fault = { ...always(onList, respond(503)), skip: 1 }

/**
 * What Cloudflare does wrong while a ping changes the record, what the record holds then, and what the next ping is told.
 * handler.test.ts has what it refuses, which is the same on both runtimes.
 */
const faults: readonly (readonly [
  what: string,
  faults: readonly Fault[],
  held: typeof first | typeof second,
  word: 'good' | 'nochg' | '(good|nochg)',
])[] = [
  ['answers reads after the limit', [always(onList, { kind: 'delay', byMs: 1800 })], first, '(good|nochg)'],
  [
    'never answers a read',
    [always(onList, { kind: 'stall', at: 'before-headers' })],
    first,
    // On Node, the next ping waits for the first, which may have ended well by then.
    '(good|nochg)',
  ],
  ['never answers a write', [always(onPut, { kind: 'stall', at: 'before-headers' })], first, 'good'],
  [
    'loses the answer to a write that it carries out, and goes away',
    [{ match: onPut, commit: true, answer: { kind: 'reset' } }, awayAfterWrite],
    second,
    'nochg',
  ],
  [
    'loses a write, and goes away',
    [{ match: onPut, answer: { kind: 'reset' } }, awayAfterWrite],
    first,
    'good',
  ],
]

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
  it.each(faults)('answers in time if Cloudflare %s', async (_, given, held, word) => {
    await withStage(stage =>
      withEndpoints([start], stage, {}, async endpoint => {
        await stage.setRecords({ content: first })
        await stage.setFaults(...given)
        const startedMs = performance.now()
        const answer = await ask(endpoint, query(second))
        expect(performance.now() - startedMs).toBeLessThan(patienceMs)
        expect(answer).toMatchObject(mayPass)
        expect(await addresses(stage)).toEqual([held])
        await stage.setFaults()
        const next = await ask(endpoint, query(second))
        expect(next.status).toBe(200)
        expect(next.body).toMatch(new RegExp(`^${word} ${second}\n$`))
        expect(await addresses(stage)).toEqual([second])
        await expectNoSecret(stage, endpoint, answer, next)
      }),
    )
  })

  it('keeps the token to itself if Cloudflare repeats it', () =>
    withStage(stage =>
      withEndpoints([start], stage, {}, async endpoint => {
        const message = `The token ${stage.description.cloudflare.dnsToken} is not valid.`
        const repeats = { kind: 'errors', status: 403, errors: [{ code: 10000, message }] }
        const answers: Answered[] = []
        for (const match of [onList, onPut]) {
          await stage.setRecords({ content: first })
          await stage.setFaults(always(match, repeats))
          answers.push(await ask(endpoint, query(second)))
        }
        expect(answers).toMatchObject([mayPass, mayPass])
        expect(endpoint.output()).toContain('The token ***')
        await expectNoSecret(stage, endpoint, ...answers)
      }),
    ))

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

  it('both succeed if the address is the same', () =>
    withStage(async stage => {
      const gate = await startGate(stage.description.cloudflare.baseUrl)
      try {
        await withEndpoints(both, stage, { BASE_URL: gate.baseUrl }, async (one, other) => {
          await stage.setRecords({ content: first })
          gate.hold('PUT')
          const answers = [one, other].map(endpoint => ask(endpoint, query(second)))
          await gate.until(held => held.length === 2)
          await gate.release('PUT')
          for (const { body } of await Promise.all(answers))
            expect([`good ${second}\n`, `nochg ${second}\n`]).toContain(body)
          expect(await addresses(stage)).toEqual([second])
        })
      } finally {
        gate.close()
      }
    }))
})
