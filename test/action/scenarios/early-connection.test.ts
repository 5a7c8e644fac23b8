import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { preload } from '../../support/host.ts'
import { startProxy } from '../../support/listen.ts'
import { after, type Stage, scenario } from '../../support/stage.ts'

/** Loaded before the bundle. Writes a line for each connection: its port, and whether TLS was loaded by then. */
const hook = (log: string) => `import { appendFileSync } from 'node:fs'
import { Socket } from 'node:net'
const { connect } = Socket.prototype
Socket.prototype.connect = function (...given) {
  const [[{ port }]] = given
  appendFileSync(${JSON.stringify(log)}, port + ' ' + process.moduleLoadList.includes('NativeModule tls') + '\\n')
  return connect.apply(this, given)
}`

/** Runs the action, and returns its connections in order. */
async function connectionsOf(
  folder: string,
  run: Stage['run'],
  ...[inputs, options]: Parameters<Stage['run']>
) {
  const log = join(folder, 'log')
  const { outputs } = await run(inputs, { ...options, env: { ...options?.env, ...preload(hook(log)) } })
  return { outputs, connections: (await readFile(log, 'utf8')).trim().split('\n') }
}

describe('the first connections', () => {
  scenario('are begun before TLS is loaded, and used', async ({ stage, folder }) => {
    await stage.setRecords({ content: after })
    await stage.setEchoes(after)
    const { cloudflare, echo } = stage.description
    const { outputs, connections } = await connectionsOf(folder, stage.run, {})
    expect(outputs).toMatchObject({ result: 'unchanged' })
    const expected = [...echo, cloudflare.baseUrl].map(url => `${new URL(url).port} false`)
    expect(connections.sort()).toEqual(expected.sort())
  })

  scenario('go to no host that is behind a proxy', async ({ stage, folder }) => {
    const proxy = await startProxy('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const inputs = { 'base-url': 'https://192.0.2.1', address: after }
    const options = { env: { https_proxy: proxy.url }, unseenRequests: 3 }
    const { connections } = await connectionsOf(folder, stage.run, inputs, options)
    expect(new Set(connections)).toEqual(new Set([`${new URL(proxy.url).port} true`]))
    proxy.close()
  })
})
