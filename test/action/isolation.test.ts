import { describe, expect, it } from 'vitest'
import type { RoundResult } from '../../action/result.ts'
import { type RoundOptions, runRound } from '../../action/round.ts'
import type { HttpOutcome, HttpRequest } from '../../lib/exchange.ts'
import { failure } from '../simulation/faults.ts'
import { Host, VirtualTime } from '../simulation/virtual-time.ts'
import { Zone } from '../simulation/zone.ts'
import { response } from '../support/response.ts'
import { roundOptions } from '../support/round-options.ts'
import { Sequence } from '../support/sequence.ts'
import { inputsOf } from './inputs/reading.ts'

const address = '8.8.4.4'
const old = '192.0.2.1'
/** How long a request takes that fails. */
const failureMs = 50
const minuteMs = 60_000

/** How requests can fail. Only silence lasts until the timeout. */
const outcomes = {
  '500': response({ success: false, errors: [] }, { status: 500 }),
  reset: failure('reset'),
  silence: failure('timeout'),
  '503 with Retry-After': response('', { status: 503, retryAfterMs: 1000 }),
  forbidden: response({ success: false, errors: [{ code: 10000, message: 'No.' }] }, { status: 403 }),
  limited: response({ success: false, errors: [] }, { status: 429, retryAfterMs: 1000 }),
}
type Fault = keyof typeof outcomes
const faults = ['500', 'reset', 'silence', '503 with Retry-After'] as const

const zoneId = (number: number) => String(number).repeat(32)

/** Some zones, each with names whose addresses are old, in virtual time. `fault` says how a request fails. */
class Service {
  readonly time = new VirtualTime()
  readonly host: Host
  readonly zones: readonly Zone[]
  readonly sent: string[] = []
  fault: (request: string) => Fault | null
  latencyMs = 50
  status = 'active'

  constructor(namesOfZones: readonly number[], seed: number, fault: (request: string) => Fault | null) {
    this.fault = fault
    this.host = new Host('host', this.time, new Sequence(seed))
    this.zones = namesOfZones.map((_, zone) => new Zone(zoneId(zone), `z${zone}.example`))
    for (const [index, zone] of this.zones.entries())
      for (let name = 0; name < (namesOfZones[index] ?? 0); name++)
        zone.add({ type: 'A', name: `n${name}.${zone.name}`, content: old })
  }

  get records() {
    return this.zones.flatMap(({ records }) => records)
  }

  exchange = (request: HttpRequest): Promise<HttpOutcome> => {
    const { pathname, searchParams } = new URL(request.url)
    const [, , , , id, , recordId] = pathname.split('/')
    const zone = this.zones.find(zone => zone.id === id)
    const name = zone?.records.find(record => record.id === recordId)?.name ?? searchParams.get('name')
    const sent = `${request.method} ${id?.[0]}${name === null ? '' : ` ${name}`}`
    this.sent.push(sent)
    const fault = this.fault(sent)
    // A zone is looked up by its name.
    const { status } = this
    const result = this.zones.filter(zone => zone.name === name).map(({ id, name }) => ({ id, name, status }))
    const serve = () =>
      response(zone?.handle(request, () => {}).body ?? { success: true, errors: [], result })
    return new Promise(resolve =>
      this.time.after(fault === 'silence' ? request.timeoutMs : fault ? failureMs : this.latencyMs, () =>
        resolve(fault ? outcomes[fault] : serve()),
      ),
    )
  }

  /** Names whose records are stale. */
  stale(): readonly string[] {
    return this.records.filter(({ content }) => content === old).map(({ name }) => name)
  }

  /** Runs one round without memory, as a scheduled run does. */
  async round(texts: Readonly<Record<string, string>> = {}, options: Partial<RoundOptions> = {}) {
    const lines = this.zones.flatMap(({ id, records }) => records.map(({ name }) => `${name} ${id}`))
    const inputs = inputsOf({ hostname: lines.join('\n'), address, 'zone-id': '', ...texts })
    const round = runRound(inputs, this.exchange, this.host.clock, roundOptions(options))
    await this.time.run(this.time.nowMs + 10 * minuteMs)
    return round
  }
}

const reasonsOf = ({ records }: RoundResult) =>
  records.map(({ result, problem }) => problem?.reason ?? result)
const seeds = [1, 2]

const namesOf = (service: Service) => service.records.map(({ name }) => name).join('\n')
/** How a zone fails: by its list, or while it is looked up by its name. */
const ways = {
  list: { fails: (sent: string, bad: number) => sent.startsWith(`GET ${bad}`), faults, namesOf: undefined },
  'look-up': {
    fails: (sent: string, bad: number) =>
      sent.startsWith('GET undefined') && sent.endsWith(`z${bad}.example`),
    faults: [...faults, 'forbidden', 'limited'] as const,
    namesOf,
  },
}

describe.each(Object.entries(ways))('a zone whose %s always fails', (_, { fails, faults, namesOf }) => {
  // A limit counts for the whole account, so its waits take the time of all.
  for (const fault of faults)
    for (const timeout of fault === 'limited' ? ['60s'] : ['60s', '5s'])
      it(`with ${fault} stops no write in the others (timeout ${timeout})`, async () => {
        for (const seed of seeds)
          for (const bad of [0, 1, 2]) {
            const service = new Service([2, 2, 2], seed, sent => (fails(sent, bad) ? fault : null))
            const named = namesOf && { hostname: namesOf(service) }
            const round = await service.round({ timeout, ...named })
            expect(service.stale()).toEqual([`n0.z${bad}.example`, `n1.z${bad}.example`])
            expect(reasonsOf(round).filter(reason => reason === 'updated')).toHaveLength(4)
            expect(service.sent.filter(sent => sent === `GET ${bad}`).length).toBeLessThanOrEqual(3)
          }
      })
})

describe('whatever else fails', () => {
  it('silent zones stop no write in another', async () => {
    const service = new Service(Array(10).fill(1), 1, sent => (/^GET [0-8]/.test(sent) ? 'silence' : null))
    const round = await service.round({ timeout: '5s' })
    expect(reasonsOf(round).filter(reason => reason === 'updated')).toHaveLength(1)
    expect(service.stale()).not.toContain('n0.z9.example')
  })

  it('a name of a zone that is read name by name stops no other name in it', async () => {
    const service = new Service([1, 3], 1, sent => (sent === 'GET 1 n0.z1.example' ? '500' : null))
    const { exchange } = service
    // A zone too long to read as a whole.
    service.exchange = request =>
      request.url.includes('per_page=')
        ? Promise.resolve({ kind: 'failure', cause: 'too-large', detail: 'too long' })
        : exchange(request)
    await service.round()
    expect(service.stale()).toEqual(['n0.z1.example'])
  })

  it('silence to the look-up of 20 names stops no name that comes after them', async () => {
    const service = new Service([20, 1], 1, sent => (/^GET undefined n\d+\.z0/.test(sent) ? 'silence' : null))
    await service.round({ hostname: namesOf(service) })
    expect(service.stale()).not.toContain('n0.z1.example')
  })
})

describe('a write that always fails', () => {
  it('with silence, for a whole zone, keeps no name of another from its write', async () => {
    const service = new Service([49, 1], 1, sent => (sent.startsWith('PUT 0') ? 'silence' : null))
    await service.round()
    expect(service.stale()).toHaveLength(49)
    expect(service.stale()).not.toContain('n0.z1.example')
  })

  for (const fault of faults)
    for (const timeout of ['60s', '10s'])
      it(`with ${fault} stops none of the other 49 names (timeout ${timeout})`, async () => {
        for (const seed of seeds) {
          const service = new Service([50], seed, sent => (sent === 'PUT 0 n0.z0.example' ? fault : null))
          const round = await service.round({ timeout })
          expect(service.stale()).toEqual(['n0.z0.example'])
          expect(reasonsOf(round)).toEqual(['write-unconfirmed', ...Array(49).fill('updated')])
        }
      })
})

it('a given address that no record may hold costs no request', async () => {
  const service = new Service([2, 2], 1, () => null)
  const round = await service.round({ address: '192.168.1.1' })
  expect(reasonsOf(round)).toEqual(Array(4).fill('address-not-public'))
  expect(service.sent).toEqual([])
})

describe('a service on which nothing works', () => {
  it('that is silent fails every zone within the timeout', async () => {
    const service = new Service(Array(9).fill(2), 1, () => 'silence')
    const round = await service.round()
    expect(new Set(reasonsOf(round))).toEqual(new Set(['service-unavailable']))
    expect(round.elapsedMs).toBeLessThan(45_000)
  })

  it('that rejects the token gets one request', async () => {
    const service = new Service([2, 2, 2], 1, () => null)
    service.exchange = request => {
      service.sent.push(request.url)
      const errors = [{ code: 1000, message: 'Invalid API Token' }]
      return Promise.resolve(response({ success: false, errors }, { status: 401 }))
    }
    expect(new Set(reasonsOf(await service.round()))).toEqual(new Set(['token-rejected']))
    expect(service.sent).toHaveLength(1)
  })
})

describe('a zone that was looked up', () => {
  const hostname = 'n0.z0.example\nn1.z0.example'

  it('is looked up again after Cloudflare does not know it, or rejects the token for it', async () => {
    const gone = { 7003: 'zone-not-found', 10000: 'token-rejected' } as const
    for (const [code, reason] of Object.entries(gone)) {
      const service = new Service([2], 1, () => null)
      const { exchange } = service
      const errors = [{ code: Number(code), message: 'No.' }]
      service.exchange = request =>
        request.url.includes(zoneId(9))
          ? Promise.resolve(response({ success: false, errors }, { status: 403 }))
          : exchange(request)
      const moved = { id: zoneId(9), name: 'z0.example' }
      const zones = new Map(hostname.split('\n').map(name => [name, moved]))
      expect(reasonsOf(await service.round({ hostname }, { zones }))).toEqual([reason, reason])
      expect(reasonsOf(await service.round({ hostname }, { zones }))).toEqual(['updated', 'updated'])
    }
  })

  it('causes one warning while it is not served', async () => {
    const service = new Service([2], 1, () => null)
    const zones = new Map()
    service.status = 'pending'
    const warnings = async () => (await service.round({ hostname }, { zones })).warnings
    expect(await warnings()).toEqual([expect.stringContaining('z0.example is pending')])
    expect(await warnings()).toEqual([])
  })
})

it('a network may come up after the limit of a call, and what could not leave the machine is no request', async () => {
  const service = new Service([1], 1, () => null)
  const { exchange, time } = service
  let resets = 1
  service.exchange = async request => {
    // A call has a fifth of the timeout: 4 s.
    if (time.nowMs < 5500) return failure('unsent')
    if (!request.url.startsWith('https://echo.example')) return exchange(request)
    if (request.timeoutMs < 1000) return failure('timeout')
    return resets-- > 0 ? failure('reset') : response(address, { contentType: 'text/plain' })
  }
  const echo = { address: '', 'address-sources': 'https://echo.example', timeout: '20s' }
  const round = await service.round(echo)
  expect(reasonsOf(round)).toEqual(['updated'])
  // Two to the echo, a list and a write.
  expect(round.requests).toBe(4)
})

it('a process warns of something else that changes what it wrote, from the second time', async () => {
  const service = new Service([1], 1, () => null)
  const [zone] = service.zones
  const writes = new Map()
  const notes = async (content: string | null) => {
    const [record] = service.records
    if (record && content) zone?.edit(record.id, { content })
    const { records } = await service.round({}, { writes })
    return records.flatMap(({ notes }) => notes)
  }
  service.fault = sent => (sent.startsWith('PUT') ? 'forbidden' : null)
  expect(await notes(null)).toEqual([])
  // What was refused is still there.
  service.fault = () => null
  expect(await notes(null)).toEqual([])
  expect(await notes(old)).toEqual([])
  expect(await notes(null)).toEqual([])
  expect(await notes(old)).toEqual([
    expect.stringContaining(
      `n0.z0.example (A), 2 times so far: content "${old}" instead of ${address}. Find the other program`,
    ),
  ])
})

it('a proxied record is served with addresses of the proxy, and not with its own', async () => {
  const verified = async (served: string) => {
    const service = new Service([1], 1, () => null)
    const [record] = service.records
    if (record) service.zones[0]?.edit(record.id, { proxied: true, ttl: 1 })
    const { dns } = roundOptions()
    const serving = { ...dns(), ask: async () => ({ value: [served] }) }
    const given = { verify: 'dns', 'name-servers': '192.0.2.53' }
    const addressesOf = async (host: string) => ({ value: [host] })
    return reasonsOf(await service.round(given, { dns: () => ({ ...serving, addressesOf }) }))
  }
  expect(await verified('104.16.0.1')).toEqual(['updated'])
  for (const own of [address, old]) expect(await verified(own)).toEqual(['not-served'])
})

describe('an unexpected error', () => {
  it('while one zone is looked up, listed or read for a creation fails only its names', async () => {
    for (const [wrong, hostname] of [
      ['GET 1 new.z1.example', `new.z1.example ${zoneId(1)}`],
      ['GET 1', `new.z1.example ${zoneId(1)}`],
      ['GET undefined home.lost.example', 'home.lost.example'],
    ]) {
      const service = new Service([2, 0], 1, sent => {
        if (sent === wrong) throw new RangeError('too deep')
        return null
      })
      const known = ['n0.z0.example', 'n1.z0.example'].map(name => `${name} ${zoneId(0)}`)
      const round = await service.round({ hostname: [...known, hostname].join('\n'), create: 'true' })
      expect(reasonsOf(round)).toEqual(['updated', 'updated', 'unexpected'])
    }
  })

  it('while name servers are asked hides neither what was written nor what failed', async () => {
    const throwing = () => {
      throw new TypeError('no socket')
    }
    const dns = { ask: throwing, isResolver: throwing, addressesOf: throwing, nameServersOf: throwing }
    const service = new Service([4], 1, sent => (sent === 'PUT 0 n2.z0.example' ? '500' : null))
    const round = await service.round(
      { verify: 'dns', 'name-servers': 'ns1.example.net' },
      { dns: () => dns },
    )
    const reasons = Array(4).fill('unexpected').with(2, 'write-unconfirmed')
    expect(reasonsOf(round)).toEqual(reasons)
    expect(round.records.map(({ written }) => written)).toEqual(
      reasons.map(reason => reason === 'unexpected'),
    )
  })
})
