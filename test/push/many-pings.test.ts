import { describe, expect, it } from 'vitest'
import { systemClock as clock } from '../../action/deadline.ts'
import type { HandlerContext } from '../../push/handler.ts'
import { list, onList, onPut, type Stage } from '../support/stage.ts'
import { first, home, hostLine, second, startEndpoint } from './endpoint.ts'
import { hostLines, success, useStage, zoneList } from './use-stage.ts'

let stage: Stage
useStage(started => {
  stage = started
})

describe('a router that pings all the time', () => {
  /** Starts an endpoint at a time that the test sets. */
  async function startAt(
    change: Readonly<Record<string, string>> = {},
    context: Partial<HandlerContext> = {},
  ) {
    let laterMs = 0
    const now = () => clock.now() + laterMs
    const endpoint = await startEndpoint(stage, change, { ...context, clock: { ...clock, now } })
    function pass(ms: number): void {
      laterMs += ms
    }
    return { ...endpoint, pass }
  }

  it('costs four requests a minute with the same address', async () => {
    const { ping, pass } = await startAt()
    for (let pings = 0; pings < 20; pings++)
      expect((await ping(`hostname=${home}&myip=${first}`)).body).toBe(`nochg ${first}\n`)
    expect(stage.dnsRequests()).toEqual(Array(4).fill(list))
    stage.setRecords({ content: second })
    pass(60_000)
    expect((await ping(`hostname=${home}&myip=${first}`)).body).toBe(`good ${first}\n`)
  })

  it('is told what the record holds after a change by somebody else', async () => {
    const { ping } = await startAt()
    for (let changes = 0; changes < 5; changes++) {
      stage.setRecords({ content: second })
      expect((await ping(`hostname=${home}&myip=${first}`)).body).toBe(`good ${first}\n`)
    }
  })

  it('has two reads left for other addresses after six equal pings', async () => {
    const { ping } = await startAt()
    const pings = Array.from({ length: 6 }, () => ping(`hostname=${home}&myip=${first}`))
    for (const { body } of await Promise.all(pings)) expect(body).toBe(`nochg ${first}\n`)
    for (const address of [second, first])
      expect((await ping(`hostname=${home}&myip=${address}`)).body).toBe(`good ${address}\n`)
  })

  it('is read six times a minute with other addresses, and then waits', async () => {
    const other = 'other.example.com'
    stage.setRecords({ content: first }, { name: other, content: first })
    const HOSTS = await hostLines([home, other])
    const { ping, pass, entries } = await startAt({ HOSTS })
    for (const address of [first, second, first, second, first, second])
      expect((await ping(`hostname=${home}&myip=${address}`)).body).toContain(address)
    stage.control.clearJournal()
    pass(15_000)
    const limited = await ping(`hostname=${home}&myip=${first}`)
    expect(limited).toMatchObject({ status: 503, body: '911\n' })
    expect(entries.at(-1)).toMatchObject({ event: 'ping', lines: [`${home} 911`], limited: true })
    const waitS = Number(limited.headers.get('retry-after'))
    expect(waitS).toBeGreaterThan(30)
    expect(waitS).toBeLessThanOrEqual(45)
    expect(stage.journal()).toEqual([])
    // Something else may have changed the record since it was read.
    expect((await ping(`hostname=${home}&myip=${second}`)).body).toBe('911\n')
    expect((await ping(`hostname=${other}&myip=${second}`)).body).toBe(`good ${second}\n`)
    pass(waitS * 1000)
    expect((await ping(`hostname=${home}&myip=${first}`)).body).toBe(`good ${first}\n`)
  })

  it('has no word of success beside a name that waits, even for one that is right', async () => {
    const HOSTS = `${await hostLine(home)}\n${await hostLine('x.example.com', 'AAAA')}`
    const { ping } = await startAt({ HOSTS })
    const answer = await ping(`hostname=${home},x.example.com,y.example.com&myip=${first}`)
    expect(answer).toMatchObject({ status: 503, body: expect.stringMatching(/^911\ndnserr .*\nnohost\n$/) })
    expect(answer.body).not.toMatch(success)
  })

  it('is read again if the read failed, at most six times a minute', async () => {
    const { ping } = await startAt()
    stage.setFaults({ match: onList, times: null, answer: { kind: 'respond', status: 403 } })
    for (let pings = 0; pings < 20; pings++)
      expect(await ping(`hostname=${home}&myip=${first}`)).toMatchObject({ status: 503, body: '911\n' })
    expect(stage.dnsRequests()).toEqual(Array(6).fill(list))
  })

  it('is answered by an endpoint with hundreds of names', async () => {
    const others = Array.from({ length: 400 }, (_, number) => `n${number}.example.com`)
    const { ping } = await startAt({ HOSTS: await hostLines([home, ...others]) })
    expect(await ping(`hostname=${home}&myip=${first}`)).toMatchObject({ body: `nochg ${first}\n` })
  })
})

const addressesOf = (last: number) => `9.9.9.${last},2a00:1450:4001:82b::${last}`

/** Gives each name records of both types with the first addresses. */
function setBoth(names: readonly string[]): void {
  stage.setRecords(
    ...names.flatMap(name => [
      { name, content: '9.9.9.1' },
      { name, type: 'AAAA', content: '2a00:1450:4001:82b::1' },
    ]),
  )
}

it('leaves a change of every other name to it while one name changes all the time', async () => {
  const names = ['home.example.com', 'nas.example.com']
  setBoth(names)
  let nowMs = 0
  const HOSTS = await hostLines(names, 'A,AAAA')
  const { ping } = await startEndpoint(stage, { HOSTS }, { clock: { ...clock, now: () => nowMs } })
  // Six in each minute, with a list, two writes and a list, would use up all 120 requests.
  for (; nowMs < 300_000; nowMs += 10_000)
    await ping(`hostname=${names[0]}&myip=${addressesOf(2 + ((nowMs / 10_000) % 2))}`)
  nowMs -= 1
  expect((await ping(`hostname=${names[1]}&myip=${addressesOf(4)}`)).body).toBe(`good ${addressesOf(4)}\n`)
})

describe.each([20, 50])('%i names with records of both types', count => {
  const names = Array.from({ length: count }, (_, number) => `n${number}.example.com`)
  /** A change of all is a list, and a write and a list for each record at most. */
  const change = names.length * (2 + 2)

  /** Starts an endpoint for them, with a clock that only moves between pings of all of them. */
  async function startAll() {
    setBoth(names)
    let nowMs = 0
    const HOSTS = await hostLines(names, 'A,AAAA')
    // Without jitter, a repetition is sent at once.
    const own = { ...clock, now: () => nowMs, random: () => 0 }
    const { ping } = await startEndpoint(stage, { HOSTS }, { clock: own })
    async function pingAll(last: number, most = 20) {
      nowMs += 10_000
      const bodies = []
      for (let start = 0; start < count; start += most)
        bodies.push(
          (await ping(`hostname=${names.slice(start, start + most)}&myip=${addressesOf(last)}`)).body,
        )
      return bodies.join('')
    }
    return { pingAll }
  }
  const allOf = (word: string, last: number) => `${word} ${addressesOf(last)}\n`.repeat(names.length)

  it('change at once with one list before and after each ping, and fewer requests than a free Worker can send', async () => {
    const { pingAll } = await startAll()
    expect(await pingAll(2)).toBe(allOf('good', 2))
    const pings = Math.ceil(count / 20)
    expect(stage.dnsRequests().filter(request => request === zoneList)).toHaveLength(2 * pings)
    expect(stage.journal()).toHaveLength(2 * pings + 2 * count)
  })

  it('can still all change after any number of pings without a change', async () => {
    const { pingAll } = await startAll()
    for (let pings = 0; pings < 4; pings++) expect(await pingAll(1, 1)).toBe(allOf('nochg', 1))
    // From then on, they are answered from memory.
    expect(stage.journal()).toHaveLength(change - count)
    expect(await pingAll(2)).toBe(allOf('good', 2))
  })

  if (count > 20) return

  it('cost at most two changes of each in five minutes', async () => {
    const { pingAll } = await startAll()
    for (let pings = 0; pings < 30; pings++) await pingAll(1 + (pings % 2))
    expect(stage.journal().length).toBeLessThanOrEqual(2 * change)
    expect(stage.journal().length).toBeGreaterThan(change)
  })

  it('cost no more if each write is repeated', async () => {
    const { pingAll } = await startAll()
    expect(await pingAll(1)).toBe(allOf('nochg', 1))
    stage.setFaults({ match: onPut, times: null, answer: { kind: 'reset' } })
    expect(await pingAll(2)).toBe('911\n'.repeat(names.length))
    expect(stage.journal()).toHaveLength(2 * change)
  })
})
