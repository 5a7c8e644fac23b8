import { expect, it } from 'vitest'
import { type EmployeeDirectory, StoreFailure } from '../../src/employees/directory.ts'
import { createHealth } from '../../src/employees/health.ts'
import type { StoreProblem } from '../../src/employees/store-check.ts'
import { unusedDirectory } from './support/in-process.ts'

it('asks the store once every ten seconds, and once for concurrent requests, and returns the cause', async () => {
  let looks = 0
  let time = 0
  let answer = Promise.withResolvers<readonly StoreProblem[]>()
  const directory: EmployeeDirectory = {
    ...unusedDirectory,
    findSharedIds: async () => [],
    check() {
      looks += 1
      return answer.promise
    },
  }
  const findCause = createHealth(directory, () => time)
  const asked = Array.from({ length: 50 }, findCause)
  // Requests during a slow check share it.
  time = 60_000
  asked.push(findCause())
  answer.reject(new StoreFailure('ECONNREFUSED'))
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['ECONNREFUSED']))
  expect(looks).toBe(1)
  answer = Promise.withResolvers()
  answer.resolve([
    { code: 'index-missing', usable: true, message: 'slow' },
    { code: 'not-granted', usable: false, message: 'closed' },
  ])
  time = 69_999
  expect(await findCause()).toBe('ECONNREFUSED')
  time = 70_000
  expect(await findCause()).toBe('not-granted')
  expect(looks).toBe(2)
})

it('reads every id at first, then every ten minutes, and every time while some are shared', async () => {
  let time = 0
  let reads = 0
  let shared: readonly string[] = []
  const directory: EmployeeDirectory = {
    ...unusedDirectory,
    check: async () => [],
    async findSharedIds() {
      reads += 1
      return shared
    },
  }
  const findCause = createHealth(directory, () => time)
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

it('is good although the ids could not be read, or after a problem that keeps them from being read', async () => {
  const slow = { ...unusedDirectory, findSharedIds: () => Promise.reject(new StoreFailure('timeout')) }
  expect(await createHealth({ ...slow, check: async () => [] }, () => 0)()).toBeNull()
  const missing: StoreProblem = { code: 'column-missing', usable: false, message: 'no id' }
  const unread = { ...unusedDirectory, check: async () => [missing] }
  expect(await createHealth(unread, () => 0)()).toBe('column-missing')
})
