import { describe, expect } from 'vitest'
import { runCommand } from '../../support/command.ts'
import { preload } from '../../support/host.ts'
import { startProxy } from '../../support/listen.ts'
import { after, before, scenario } from '../../support/stage.ts'

/** Prints a line for each connection: its port, and whether TLS was loaded by then. */
const env = preload(`
  import { Socket } from 'node:net'
  const { connect } = Socket.prototype
  Socket.prototype.connect = function (...given) {
    const [[{ port }]] = given
    console.log('connects to', port, process.moduleLoadList.includes('NativeModule tls'))
    return connect.apply(this, given)
  }
`)
const connectionsIn = (log: string) => [...log.matchAll(/^connects to (.*)$/gm)].map(([, said]) => said)

describe('the first connections', () => {
  scenario('are begun before TLS is loaded, and used', async ({ stage }) => {
    stage.setRecords({ content: after })
    stage.setEchoes(after)
    const { cloudflare, echo } = stage.description
    const { outputs, log } = await stage.run({}, { env })
    expect(outputs).toMatchObject({ result: 'unchanged' })
    const expected = [...echo, cloudflare.baseUrl].map(url => `${new URL(url).port} false`)
    expect(connectionsIn(log).sort()).toEqual(expected.sort())
  })

  scenario('go to no host that is behind a proxy', async ({ stage }) => {
    const proxy = await startProxy('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const inputs = { 'base-url': 'https://192.0.2.1', address: after }
    const behind = { ...env, https_proxy: proxy.url }
    const { log } = await stage.run(inputs, { env: behind, unseenRequests: 3 })
    expect(new Set(connectionsIn(log))).toEqual(new Set([`${new URL(proxy.url).port} true`]))
    proxy.close()
  })
})

/** Loaded before the command: names are resolved only after this many milliseconds, as after boot or resume. */
const lateMs = 4000
const hook = `import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
const { lookup } = dns
dns.lookup = (name, options, callback) => {
  if (performance.now() > ${lateMs}) return lookup(name, options, callback)
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
    // A call has a fifth of the timeout.
    ['--base-url', byName(cloudflare.baseUrl), '--timeout', '15s', '--address-sources', sources],
    { ...stage.variables, ...preload(hook) },
  )
  expect([status, stdout + stderr]).toEqual([0, expect.stringContaining(`-> ${after}, updated`)])
  // Attempts that could not leave the machine are no requests: three echoes, a list and a write.
  expect(stdout).toContain('5 requests')
})
