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
