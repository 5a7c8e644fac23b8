import { describe, expect, it } from 'vitest'
import { WorkersRuntime } from '../../sandbox/cloudflare/workers/runtime.ts'
import type { Deployment } from '../../sandbox/cloudflare/workers/runtime-options.ts'

describe('workerd', () => {
  it('is not started by a closed runtime', async () => {
    const runtime = new WorkersRuntime(() => ({ workers: [], databaseIds: [] }))
    await runtime.close()
    await expect(runtime.query('x', [])).rejects.toThrow('has been closed')
  })

  it('recovers if its first start fails', async () => {
    let deployment: Deployment = { workers: [], databaseIds: [] }
    const runtime = new WorkersRuntime(() => deployment)
    const worker = (code: string) => ({
      name: 'one',
      modules: [{ name: 'x.js', type: 'application/javascript+module', content: Buffer.from(code) }],
      mainModule: 'x.js',
      compatibilityDate: undefined,
      compatibilityFlags: [],
      bindings: [],
    })
    function deploy(code: string) {
      const wanted = { workers: [worker(code)], databaseIds: [] }
      return runtime.deploy(
        () => wanted,
        () => {
          deployment = wanted
        },
      )
    }
    await expect(deploy('throw new Error("first")')).rejects.toThrow('Uncaught Error: first')
    await deploy('export default { fetch: () => new Response("up") }')
    const request = { method: 'GET', url: 'http://one.example/', headers: {}, body: undefined }
    expect((await runtime.fetch('one', request)).body.toString()).toBe('up')
    await runtime.close()
  })
})
