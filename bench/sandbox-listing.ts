import { cloudflareApi } from '../sandbox/cloudflare/api.ts'
import { Databases } from '../sandbox/cloudflare/d1/databases.ts'
import { makeFixtures } from '../sandbox/cloudflare/fixtures.ts'
import { Limits } from '../sandbox/cloudflare/limits.ts'
import { makeRecord } from '../sandbox/cloudflare/records/record.ts'
import { Store } from '../sandbox/cloudflare/store.ts'
import { WorkersRuntime } from '../sandbox/cloudflare/workers/runtime.ts'
import { Workers } from '../sandbox/cloudflare/workers/workers.ts'
import { Clock } from '../sandbox/http/clock.ts'
import type { Exchange } from '../sandbox/http/exchange.ts'
import { SeededIds } from '../sandbox/http/seeded-ids.ts'

/** Microseconds per call. `cpu` is a mean of processor time, which other work on the machine does not change. */
export interface Times {
  readonly median: number
  readonly slowest: number
  readonly cpu: number
}

interface Amounts {
  readonly recordsInZone: number
  readonly indexedCalls: number
  readonly scanningCalls: number
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** Returns a function that lists records by name in a zone of `recordsInZone`, without HTTP. */
function makeApi(recordsInZone: number) {
  const clock = new Clock()
  const ids = new SeededIds(1)
  const { contents, zone, dns, accountId, userId } = makeFixtures(ids, clock.now())
  const store = new Store()
  store.replace(contents)
  for (let number = 0; number < recordsInZone; number += 1) {
    const draft = {
      name: `host-${number}.example.com`,
      type: 'A',
      content: '192.0.2.1',
      proxied: false,
      ttl: 120,
      settings: {},
      comment: null,
      tags: [],
    }
    store.put(zone, makeRecord(ids.id(), draft, '2026-01-01T00:00:00Z'))
  }
  const api = cloudflareApi({
    store,
    workers: new Workers(),
    databases: new Databases(),
    runtime: new WorkersRuntime(() => ({ workers: [], databaseIds: [] })),
    clock,
    ids,
    accountId,
    userId,
    limits: new Limits(),
    readable: () => store,
    errorForm: () => 'flat',
    duplicateCode: () => 81058,
  })
  const exchange = (query: string): Exchange => ({
    secure: false,
    method: 'GET',
    path: `/client/v4/zones/${zone.id}/dns_records`,
    query,
    headers: { authorization: `Bearer ${dns.value}` },
    body: { kind: 'none' },
    address: '127.0.0.1',
    instance: 0,
    tokenId: null,
    cite: () => undefined,
    describe: () => undefined,
  })
  return async (query: string): Promise<void> => {
    const { body } = await api.answer(exchange(query))
    if (!body.toString().includes('"count":1,'))
      throw new Error(`The listing does not have exactly one record: ${query}`)
  }
}

/** Measures a listing by name through the index and, for the same record, by a scan. */
export async function listingTimes({
  recordsInZone,
  indexedCalls,
  scanningCalls,
}: Amounts): Promise<{ indexed: Times; scanning: Times }> {
  const list = makeApi(recordsInZone)
  async function time(calls: number, queryOf: (name: string) => string): Promise<Times> {
    const times: number[] = []
    let used = process.threadCpuUsage()
    for (let call = -calls / 4; call < calls; call += 1) {
      // The first quarter warms up.
      if (call === 0) used = process.threadCpuUsage()
      const query = queryOf(`host-${(Math.abs(call) * 7919) % recordsInZone}.example.com`)
      const before = performance.now()
      await list(query)
      if (call >= 0) times.push((performance.now() - before) * 1000)
    }
    const { user, system } = process.threadCpuUsage(used)
    times.sort((one, other) => one - other)
    return { median: at(times, 0.5), slowest: at(times, 0.99), cpu: (user + system) / calls }
  }
  return {
    indexed: await time(indexedCalls, name => `name=${name}`),
    scanning: await time(scanningCalls, name => `name=${name}&match=any`),
  }
}
