import { createHash } from 'node:crypto'
import { createHandler, type Entry, type Handler } from '../../push/handler.ts'
import { readSettings } from '../../push/settings.ts'
import { Sequence } from '../support/sequence.ts'
import { baseUrl, minuteMs, type RouterKind, type Setup, token, zoneId } from './scenario.ts'
import { Host } from './virtual-time.ts'
import type { World } from './world.ts'

const password = 'abcdefghijklmnopqrstuvwx23'
/** A router looks at its own address this often, and repeats a ping at least so often although nothing changed. */
const lookMs = minuteMs
const refreshMs = 30 * minuteMs
/** Some routers report one change twice: for the lease and for the connection. */
const twicePercent = 20
const maxRetryMs = 5 * minuteMs

/**
 * Lets a router of the home report its addresses to an endpoint for as long as the world lasts: when they change, after a
 * failure that may pass, and now and then. On Node one endpoint answers all pings. Of Workers, two take turns.
 */
export function startRouter(world: World, kind: RouterKind, seed: number): void {
  const { time, judge, sources, setup } = world
  const random = new Sequence(seed ^ 0x70757368)
  const handlers = Array.from({ length: kind === 'node' ? 1 : 2 }, () => endpoint(setup, world))
  let pings = 0
  let reported = ''
  let lastMs = Number.NEGATIVE_INFINITY
  let retryAtMs = Number.POSITIVE_INFINITY

  async function ping(addresses: readonly string[]): Promise<void> {
    const handle = handlers[pings++ % handlers.length]
    const host = new Host(`ping ${pings}`, time, random)
    const startMs = host.now()
    judge.pingStarted(host, setup.types, addresses)
    const entries: Entry[] = []
    let work = Promise.resolve()
    const query = new URLSearchParams({ hostname: setup.names.join(), myip: addresses.join() })
    const request = new Request(`https://push.example/nic/update?${query}`, {
      headers: { authorization: `Basic ${btoa(`homeport:${password}`)}` },
    })
    const response = await handle?.(
      request,
      { address: addresses[0] ?? null, secure: true },
      {
        exchange: sent => world.exchange(host, () => false, sent),
        clock: host.clock,
        log: entry => void entries.push(entry),
        keepAlive: done => {
          work = done
        },
      },
    )
    const answeredMs = host.now() - startMs - host.jumpedMs
    const body = (await response?.text()) ?? ''
    await work
    judge.pingEnded(host, response?.status ?? 0, body, answeredMs, JSON.stringify(entries))
    const retryAfterS = Number(response?.headers.get('retry-after') ?? Number.NaN)
    if (retryAfterS > 0) retryAtMs = time.nowMs + Math.min(retryAfterS * 1000, maxRetryMs)
  }

  function look(): void {
    time.at(time.nowMs + lookMs, look)
    const addresses = setup.types.map(type => sources.current(type))
    const isNew = addresses.join() !== reported
    if (!isNew && time.nowMs < lastMs + refreshMs && time.nowMs < retryAtMs) return
    reported = addresses.join()
    lastMs = time.nowMs
    retryAtMs = Number.POSITIVE_INFINITY
    const times = isNew && random.chance(twicePercent) ? 2 : 1
    for (let count = 0; count < times; count++) ping(addresses).catch(judge.failed)
  }

  time.at(random.below(lookMs), look)
}

function endpoint(setup: Setup, { time }: World): Handler {
  const { names, types, suffix, expectedRanges } = setup
  const kept = types.map(type => (type === 'AAAA' && suffix ? `AAAA=${suffix}` : type))
  const hash = createHash('sha256').update(password).digest('hex')
  const reading = readSettings({
    API_TOKEN: token,
    ZONE_ID: zoneId,
    BASE_URL: baseUrl,
    HOSTS: names.map(name => `${name} ${kept.join()} sha256:${hash}`).join('\n'),
    EXPECTED_CIDR: expectedRanges
      ? types.map(type => (type === 'A' ? '84.0.0.0/8' : '2a02::/16')).join()
      : '',
  })
  if ('problems' in reading) throw new Error(reading.problems.join('\n'))
  const own = new Host('endpoint', time, new Sequence(1))
  return createHandler(reading.value, {
    // Each ping brings its own.
    exchange: () => Promise.reject(new Error('a request outside a ping')),
    clock: own.clock,
    log: () => {},
  })
}

/** Lets passwords be hashed at once: WebCrypto does it on other threads, which virtual time would not wait for. */
export async function withImmediateHashes<T>(work: () => Promise<T>): Promise<T> {
  const { subtle } = crypto
  const digest = async (_: unknown, data: Uint8Array) =>
    Uint8Array.from(createHash('sha256').update(data).digest()).buffer
  Object.defineProperty(subtle, 'digest', { value: digest, configurable: true })
  try {
    return await work()
  } finally {
    Reflect.deleteProperty(subtle, 'digest')
  }
}
