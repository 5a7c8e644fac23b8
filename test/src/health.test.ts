import { expect, it } from 'vitest'
import type { EmployeeDirectory } from '../../src/employees/directory.ts'
import { createHealth } from '../../src/employees/health.ts'

it('probes the store once every ten seconds, and once for concurrent checks', async () => {
  let looks = 0
  let time = 0
  let answer = Promise.withResolvers<void>()
  const never = () => Promise.reject(new Error('not asked for'))
  const directory: EmployeeDirectory = {
    findByName: never,
    bind: never,
    checkSession: never,
    endSession: never,
    endEmployeeSessions: never,
    probe() {
      looks += 1
      return answer.promise
    },
  }
  const isHealthy = createHealth(directory, () => time)
  const asked = Array.from({ length: 50 }, isHealthy)
  // Checks during a slow probe share it.
  time = 60_000
  asked.push(isHealthy())
  answer.reject(new Error('down'))
  expect(new Set(await Promise.all(asked))).toEqual(new Set([false]))
  expect(looks).toBe(1)
  answer = Promise.withResolvers()
  answer.resolve()
  time = 69_999
  expect(await isHealthy()).toBe(false)
  time = 70_000
  expect(await isHealthy()).toBe(true)
  expect(looks).toBe(2)
})
