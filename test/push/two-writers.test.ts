import { describe, expect, it } from 'vitest'
import { systemClock as clock } from '../../action/deadline.ts'
import type { Exchange, HttpOutcome, HttpRequest } from '../../lib/exchange.ts'
import { exchange } from '../../push/exchange.ts'
import { response } from '../support/response.ts'
import { list, type Stage } from '../support/stage.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { first, home, hostLine, ipv6, second, startEndpoint } from './endpoint.ts'
import { useStage } from './use-stage.ts'

let stage: Stage
const { contents, writes } = useStage(started => {
  stage = started
})

/**
 * Sends a ping of which a request, the first by default, waits until a later ping has arrived: that one waits for it, or is
 * answered. The request then fails if `outcome` says so.
 */
async function overlap(
  query: string,
  later: string,
  options: Parameters<Awaited<ReturnType<typeof startEndpoint>>['ping']>[1] = {},
  { at = 0, outcome }: { readonly at?: number; readonly outcome?: HttpOutcome } = {},
) {
  const began = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  let requests = 0
  const slow: Exchange = async request => {
    if (requests++ !== at) return exchange(request)
    began.resolve()
    await arrived.promise
    return outcome ?? exchange(request)
  }
  const sleep: typeof clock.sleep = (ms, signal) => {
    if (ms < 1000) arrived.resolve()
    return clock.sleep(ms, signal)
  }
  const HOSTS = await hostLine(home, 'A,AAAA')
  const started = await startEndpoint(
    stage,
    { HOSTS },
    {
      exchange: slow,
      clock: { ...clock, sleep },
      // The answer to one ping does not wait for the work of the other.
      keepAlive: () => {},
    },
  )
  const older = started.ping(`hostname=${home}&${query}`)
  await began.promise
  const newer = started.ping(`hostname=${home}&${later}`, options)
  newer.then(() => arrived.resolve(), arrived.reject)
  return { older, newer, entries: started.entries }
}

describe('two writers', () => {
  it('wait for each other if they are pings for one name', async () => {
    stage.setRecords({ content: '1.1.1.1' })
    const { ping } = await startEndpoint(stage)
    const pings = Array.from({ length: 3 }, () => ping(`hostname=${home}&myip=${second}`))
    const bodies = (await Promise.all(pings)).map(({ body }) => body)
    // Which is first depends on whose password was checked first.
    expect(bodies.toSorted()).toEqual([`good ${second}\n`, `nochg ${second}\n`, `nochg ${second}\n`])
    const methods = stage.journal().map(({ method }) => method)
    expect(methods).toEqual(['GET', 'PUT', 'GET', 'GET', 'GET'])
  })

  it('are both heard, but the older ping that is slow writes nothing', async () => {
    const other = '1.0.0.1'
    stage.setRecords({ content: other })
    const { older, newer, entries } = await overlap(`myip=${second}`, `myip=${first}`)
    expect(await older).toMatchObject({ status: 503, body: '911\n' })
    expect(await newer).toMatchObject({ status: 200, body: `good ${first}\n` })
    expect(stage.dnsRequests()).toEqual([list, list, expect.stringMatching(/^PUT/), list])
    const message = expect.stringContaining('because a later ping has another address')
    await expect
      .poll(() => entries)
      .toContainEqual(expect.objectContaining({ problems: [{ reason: 'address-disagreement', message }] }))
  })

  it('are both heard, and a write of the older ping that failed is not repeated after the later one', async () => {
    stage.setRecords({ content: '1.0.0.1' })
    const failed = { at: 1, outcome: response('', { status: 503 }) }
    const { older, newer } = await overlap(`myip=${second}`, `myip=${first}`, {}, failed)
    expect(await older).toMatchObject({ status: 503, body: '911\n' })
    expect(await newer).toMatchObject({ status: 200, body: `good ${first}\n` })
    expect(writes()).toBe(1)
  })

  it.each([
    ['a wrong password', `myip=${first}`, { password: 'wrong' }],
    ['a private address', 'myip=10.0.0.1', {}],
    ['an address of the other type', `myip=${ipv6}`, {}],
    ['the same address', `myip=${second}`, {}],
    ['an address that cannot be read', 'myip=1.2.3.4.5', {}],
  ])('do not stop each other if the later ping has %s', async (_, query, options) => {
    stage.setRecords({ content: '1.0.0.1' }, { type: 'AAAA', content: ipv6 })
    const { older, newer } = await overlap(`myip=${second}`, query, options)
    // The later ping with the same address may have written it first.
    expect((await older).body).toMatch(new RegExp(`^(good|nochg) ${second}\n$`))
    await newer
    expect(contents()).toEqual([`${home} A ${second}`, `${home} AAAA ${ipv6}`])
  })

  it('wait for each other no longer than a ping may work', async () => {
    const { clock: own } = virtualClock()
    let requests = 0
    let writtenMs = 0
    const hanging: Exchange = async request => {
      if (requests++ === 0) return new Promise(() => {})
      if (request.method === 'PUT') writtenMs = own.now()
      return exchange(request)
    }
    const limits = { answerMs: 8000, workMs: 16_000, callMs: 6500 }
    const context = { exchange: hanging, clock: own, limits, keepAlive: () => {} }
    const { ping } = await startEndpoint(stage, {}, context)
    for (const address of [first, second]) await ping(`hostname=${home}&myip=${address}`)
    await expect.poll(() => writtenMs).toBeGreaterThan(0)
    // Each answer took eight seconds.
    expect(writtenMs).toBeLessThanOrEqual(2 * 8000 + 16_000)
  })

  it('are noticed: another address that lands after the write is no success', async () => {
    stage.setRecords({ content: '1.1.1.1' })
    const overtaken: Exchange = async request => {
      const outcome = await exchange(request)
      if (request.method === 'PUT') stage.setRecords({ content: first })
      return outcome
    }
    const { ping, entries } = await startEndpoint(stage, {}, { exchange: overtaken })
    expect(await ping(`hostname=${home}&myip=${second}`)).toMatchObject({ status: 503, body: '911\n' })
    expect(entries[0]).toMatchObject({ problems: [{ reason: 'write-unconfirmed' }] })
  })

  it('are put right by the next ping if an older address lands late', async () => {
    const late: HttpRequest[] = []
    const hanging: Exchange = async request => {
      if (request.method !== 'PUT' || !request.body?.includes(second)) return exchange(request)
      late.push(request)
      return { kind: 'failure', cause: 'timeout', detail: 'no complete response' }
    }
    const { ping } = await startEndpoint(stage, {}, { exchange: hanging })
    expect(await ping(`hostname=${home}&myip=${second}`)).toMatchObject({ status: 503, body: '911\n' })
    expect((await ping(`hostname=${home}&myip=${first}`)).body).toBe(`nochg ${first}\n`)
    for (const request of late) await exchange(request)
    expect((await ping(`hostname=${home}&myip=${first}`)).body).toBe(`good ${first}\n`)
    expect(contents()).toEqual([`${home} A ${first}`])
  })

  it('cannot make a deleted record a reason to stop: it is 911 until the next read', async () => {
    const deleting: Exchange = async request => {
      if (request.method === 'PUT') stage.setRecords({ name: 'www.example.com', content: first })
      return exchange(request)
    }
    const { ping } = await startEndpoint(stage, {}, { exchange: deleting })
    expect(await ping(`hostname=${home}&myip=${second}`)).toMatchObject({ status: 503, body: '911\n' })
    expect(await ping(`hostname=${home}&myip=${second}`)).toMatchObject({ status: 200, body: 'nohost\n' })
  })
})
