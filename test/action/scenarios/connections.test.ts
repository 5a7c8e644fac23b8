import { expect } from 'vitest'
import { runCommand } from '../../support/command.ts'
import { preload } from '../../support/host.ts'
import { after, before, scenario } from '../../support/stage.ts'

/**
 * Loaded before the command: names are resolved only this many milliseconds after the first is asked for, as after boot or
 * resume. Of the limit of the second call, most is then left.
 */
const lateMs = 5500
const hook = `import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
const { lookup } = dns
let firstMs
dns.lookup = (name, options, callback) => {
  firstMs ??= performance.now()
  if (performance.now() > firstMs + ${lateMs}) return lookup(name, options, callback)
  const error = Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN', syscall: 'getaddrinfo' })
  setImmediate(callback, error)
}
syncBuiltinESMExports()`

scenario('a network may come up after the limit of a call', async ({ stage }) => {
  stage.setRecords({ content: before })
  stage.setEchoes(after)
  const { cloudflare, echo } = stage.description
  const byName = (url: string) => url.replace('127.0.0.1', 'localhost')
  const sources = echo.map(byName).join('\n')
  const { status, stdout, stderr } = await runCommand(
    // A call has a fifth of the timeout: 4 s.
    ['--base-url', byName(cloudflare.baseUrl), '--timeout', '20s', '--address-sources', sources],
    { ...stage.variables, ...preload(hook) },
  )
  expect([status, stdout + stderr]).toEqual([0, expect.stringContaining(`-> ${after}, updated`)])
  // Attempts that could not leave the machine are no requests: three echoes, a list and a write.
  expect(stdout).toContain('5 requests')
})
