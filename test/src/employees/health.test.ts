import { expect, it } from 'vitest'
import { type EmployeeStore, StoreFailure } from '../../../src/employees/employee-store.ts'
import { createHealth } from '../../../src/employees/health.ts'
import type { StoreProblem } from '../../../src/employees/store-check.ts'
import { startInProcess, storeOfOne } from '../support/in-process.ts'

/** The health of a store that answers in some way, with a clock in milliseconds to set. */
function healthOf(answers: Partial<EmployeeStore>, timeoutMs?: number) {
  const clock = { now: 0 }
  return { clock, findCause: createHealth({ ...storeOfOne, ...answers }, () => clock.now, timeoutMs) }
}

it('asks the store once every ten seconds, and once for concurrent requests, and returns the cause', async () => {
  let looks = 0
  let answer = Promise.withResolvers<readonly StoreProblem[]>()
  const { clock, findCause } = healthOf({
    check() {
      looks += 1
      return answer.promise
    },
  })
  const asked = Array.from({ length: 50 }, () => findCause())
  // Requests during a slow check share it.
  clock.now = 9_000
  asked.push(findCause())
  answer.reject(new StoreFailure('ECONNREFUSED'))
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['ECONNREFUSED']))
  expect(looks).toBe(1)
  answer = Promise.withResolvers()
  answer.resolve([
    { code: 'index-missing', usable: true, message: 'slow' },
    { code: 'not-granted', usable: false, message: 'closed' },
  ])
  clock.now = 18_999
  expect(await findCause()).toBe('ECONNREFUSED')
  clock.now = 19_000
  expect(await findCause()).toBe('not-granted')
  expect(looks).toBe(2)
})

it('reads every id at first, then every ten minutes, and every time while some are shared', async () => {
  let reads = 0
  let shared: readonly string[] = []
  const { clock, findCause } = healthOf({
    async findSharedIds() {
      reads += 1
      return shared
    },
  })
  async function at(seconds: number) {
    clock.now = seconds * 1000
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
  const checks = [new Promise<never>(() => undefined), Promise.resolve([])]
  const { clock, findCause } = healthOf({ check: () => checks.shift() ?? Promise.reject() }, 20)
  expect(await findCause()).toBe('timeout')
  expect(await findCause()).toBe('timeout')
  expect(checks).toHaveLength(1)
  clock.now = 20
  expect(await findCause()).toBeNull()
})

it('lets the platform keep a check alive whose caller leaves', async () => {
  const kept: Promise<unknown>[] = []
  const request = new Request('https://people.example.com/healthz')
  const { app } = startInProcess()
  const asked = [1, 2].map(() => app(request, { keepAlive: work => void kept.push(work) }))
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200])
  // Both requests share it.
  expect(await Promise.all(kept)).toEqual([null])
})
