import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { hostLine } from '../push/endpoint.ts'
import {
  type Answer,
  answerMs,
  drawDelays,
  drawSchedule,
  headersOf,
  judge,
  name,
  openZone,
  type Ping,
  pathOf,
  settledMs,
} from '../push/schedules.ts'
import { startModule } from '../push/started.ts'
import { listen } from '../support/listen.ts'
import { commitSeed } from '../support/random.ts'
import { Sequence } from '../support/sequence.ts'

const count = 300
/** Requests that are sent at almost the same time can overtake each other on their way to workerd. */
const gapMs = 1000
/** Nor do all schedules begin at the same time. */
const staggerMs = 200
/** A machine that is this much late is too busy for the delays of a schedule, which then need not be right in the end. */
const busyMs = 500

/** Runs each instance of the endpoint that a request names, each with the zone that it names. */
const instances = `
import { createWorker } from './push/worker.ts'
const workers = new Map()
export default {
  fetch(request, env, context) {
    const [zone, instance] = ['zone', 'instance'].map(name => request.headers.get(name))
    const worker = workers.get(zone + instance) ?? createWorker()
    workers.set(zone + instance, worker)
    return worker.fetch(request, { ...env, ZONE_ID: zone }, context)
  },
}`

// A schedule takes up to three minutes. What a busy machine can delay is left to the simulated clock: when answers come.
it('says only what the record held in 300 random schedules side by side', async () => {
  const zones = new Map<string, ReturnType<typeof openZone>>()
  const busy = new Set<string>()
  const random = new Sequence(commitSeed)
  // It ends no connection as it is used again.
  const cloudflare = createServer({ keepAliveTimeout: 600_000 }, async (incoming, outgoing) => {
    const { method = '', url = '' } = incoming
    const [, id = ''] = /\/zones\/(\w+)\//.exec(url) ?? []
    const body = await text(incoming)
    const [thereMs, backMs] = drawDelays(random)
    const startedMs = performance.now()
    await sleep(thereMs)
    const sent = { method: method as 'GET' | 'PUT', url: `http://cloudflare${url}`, body }
    const response = zones.get(id)?.handle(sent)
    await sleep(backMs)
    if (performance.now() > startedMs + thereMs + backMs + busyMs) busy.add(id)
    outgoing.writeHead(response?.status ?? 404, { 'content-type': 'application/json' })
    outgoing.end(response?.body)
  })
  const BASE_URL = await listen(cloudflare)
  const HOSTS = await hostLine(name, 'A,AAAA')
  const env = { API_TOKEN: 'x'.repeat(40), HOSTS, BASE_URL, PLAIN_HTTP: 'true' }
  const endpoint = await startModule(instances, env)

  async function run(number: number) {
    const schedule = drawSchedule(new Sequence(commitSeed + number), undefined, gapMs)
    const id = number.toString(16).padStart(32, '0')
    const zone = openZone(() => performance.now(), id)
    zones.set(id, zone)
    const answers: Answer[] = []
    await sleep(number * staggerMs)
    async function send(ping: Ping): Promise<void> {
      await sleep(ping.atMs)
      // A connection that is kept could end as it is used again.
      const headers = {
        ...headersOf(ping),
        zone: id,
        instance: String(ping.instance),
        connection: 'close',
      }
      const arrivedMs = performance.now()
      const answer = await fetch(`http://127.0.0.1:${endpoint.port}${pathOf(ping)}`, { headers })
      const body = await answer.text()
      const answeredMs = performance.now()
      if (answeredMs > arrivedMs + answerMs + busyMs) busy.add(id)
      answers.push({ ping, arrivedMs, answeredMs, body })
    }
    async function edit(change: (typeof schedule.edits)[number]): Promise<void> {
      await sleep(change.atMs)
      zone.edit(change)
    }
    await Promise.all([...schedule.pings.map(send), ...schedule.edits.map(edit)])
    await sleep(settledMs)
    const isBusy = busy.has(id)
    const judged: typeof schedule = isBusy ? { ...schedule, kind: 'instances' } : schedule
    const wrong = judge(judged, zone.held, answers, Number.POSITIVE_INFINITY)
    return { wrong, number, schedule, bodies: isBusy ? [] : answers.map(({ body }) => body) }
  }

  const runs = await Promise.all(Array.from({ length: count }, (_, number) => run(number)))
  await endpoint.stop()
  cloudflare.close()
  cloudflare.closeAllConnections()
  if (busy.size > 0)
    process.stdout.write(`The machine was busy: ${busy.size} records were not judged in the end.\n`)
  const bodies = runs.flatMap(run => run.bodies)
  expect(runs.filter(({ wrong }) => wrong !== null).map(({ bodies: _, ...run }) => run)).toEqual([])
  // Where a machine is too busy, answers say only that there was no time.
  const rest = count - busy.size
  expect(bodies.filter(body => body.startsWith('good')).length).toBeGreaterThan(rest)
  expect(bodies.filter(body => body.startsWith('nochg')).length).toBeGreaterThan(rest / 2)
})
