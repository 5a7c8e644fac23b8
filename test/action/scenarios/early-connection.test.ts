import { describe, expect } from 'vitest'
import { preload } from '../../support/host.ts'
import { startProxy } from '../../support/listen.ts'
import { after, scenario } from '../../support/stage.ts'

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
    await stage.setRecords({ content: after })
    await stage.setEchoes(after)
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
