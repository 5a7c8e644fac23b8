import { readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Miniflare } from 'miniflare'
import { expect, it } from 'vitest'
import { type EmployeeStore, StoreFailure } from '../../../src/employees/employee-store.ts'
import { createHealth } from '../../../src/employees/health.ts'
import type { StoreProblem } from '../../../src/employees/store-check.ts'
import { freePort } from '../../../tools/free-port.ts'
import { workerBundle } from '../../../tools/worker.ts'
import { moduleOf } from '../support/databases.ts'
import { unusedStore } from '../support/in-process.ts'
import { newSessionKey } from '../support/stage.ts'

it('asks the store once every ten seconds, and once for concurrent requests, and returns the cause', async () => {
  let looks = 0
  let time = 0
  let answer = Promise.withResolvers<readonly StoreProblem[]>()
  const employees: EmployeeStore = {
    ...unusedStore,
    findSharedIds: async () => [],
    check() {
      looks += 1
      return answer.promise
    },
  }
  const findCause = createHealth(employees, () => time)
  const asked = Array.from({ length: 50 }, () => findCause())
  // Requests during a slow check share it.
  time = 9_000
  asked.push(findCause())
  answer.reject(new StoreFailure('ECONNREFUSED'))
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['ECONNREFUSED']))
  expect(looks).toBe(1)
  answer = Promise.withResolvers()
  answer.resolve([
    { code: 'index-missing', usable: true, message: 'slow' },
    { code: 'not-granted', usable: false, message: 'closed' },
  ])
  time = 18_999
  expect(await findCause()).toBe('ECONNREFUSED')
  time = 19_000
  expect(await findCause()).toBe('not-granted')
  expect(looks).toBe(2)
})

it('reads every id at first, then every ten minutes, and every time while some are shared', async () => {
  let time = 0
  let reads = 0
  let shared: readonly string[] = []
  const employees: EmployeeStore = {
    ...unusedStore,
    check: async () => [],
    async findSharedIds() {
      reads += 1
      return shared
    },
  }
  const findCause = createHealth(employees, () => time)
  async function at(seconds: number) {
    time = seconds * 1000
    return [await findCause(), reads]
  }
  expect(await at(0)).toEqual([null, 1])
  shared = ['7']
  expect(await at(599)).toEqual([null, 1])
  expect(await at(609)).toEqual(['id-not-unique', 2])
  expect(await at(619)).toEqual(['id-not-unique', 3])
  shared = []
  expect(await at(629)).toEqual([null, 4])
  expect(await at(1228)).toEqual([null, 4])
})

it('answers if a check never ends, and checks again', async () => {
  let time = 0
  let looks = 0
  const employees: EmployeeStore = {
    ...unusedStore,
    findSharedIds: async () => [],
    check() {
      looks += 1
      return looks === 1 ? new Promise(() => undefined) : Promise.resolve([])
    },
  }
  const findCause = createHealth(employees, () => time, 20)
  expect(await findCause()).toBe('timeout')
  expect([await findCause(), looks]).toEqual(['timeout', 1])
  time = 20
  expect([await findCause(), looks]).toEqual([null, 2])
})

/** A Worker around the handler's, whose D1 waits for a server before each statement. */
const gatedWorker = `import handler from './worker.js'
const gate = (env, statement) => ({
  bind: (...values) => gate(env, statement.bind(...values)),
  all: () => fetch(env.GATE).then(() => statement.all()),
})
export default {
  fetch(request, env, context) {
    const prepare = sql => gate(env, env.DATABASE.prepare(sql))
    return handler.fetch(request, { ...env, EMPLOYEES: { prepare, batch() {} } }, context)
  },
}`

it('answers in a Worker after the caller left for whom it checks, by the same check', async () => {
  const asked = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  let statements = 0
  const gate = createServer(async (_, response) => {
    statements += 1
    asked.resolve()
    await opened.promise
    response.end()
  }).listen(0, '127.0.0.1')
  const port = await freePort()
  const bundle = moduleOf(await readFile(workerBundle, 'utf8')).modules
  const miniflare = new Miniflare({
    workers: [
      {
        name: 'main',
        modules: [
          { type: 'ESModule', path: 'gated.js', contents: new TextEncoder().encode(gatedWorker) },
          ...bundle,
        ],
        compatibilityDate: '2026-07-01',
        bindings: {
          TENANT_ID: 'tenant',
          CLIENT_ID: 'client',
          CLIENT_SECRET: 'secret',
          REDIRECT_URI: 'https://people.example.com/auth/callback',
          SESSION_KEYS: newSessionKey('k1'),
          ALLOWED_DOMAINS: 'example.com',
          GATE: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`,
        },
        d1Databases: { DATABASE: 'employees' },
        unsafeDirectSockets: [{ host: '127.0.0.1', port }],
      },
    ],
  })
  try {
    await miniflare.ready
    const health = `http://127.0.0.1:${port}/healthz`
    const abandoned = request(health).on('error', () => undefined)
    abandoned.end()
    await asked.promise
    // workerd ignores a closed connection until it answers.
    abandoned.socket?.resetAndDestroy()
    await new Promise(resolve => setTimeout(resolve, 100))
    opened.resolve()
    const answer = await fetch(health, { signal: AbortSignal.timeout(5000) })
    expect([answer.status, statements]).toEqual([503, 1])
  } finally {
    await miniflare.dispose()
    gate.close()
    gate.closeAllConnections()
  }
})
