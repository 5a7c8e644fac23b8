import { createServer } from 'node:http'
import { describe, expect } from 'vitest'
import { withInterfaces } from '../../support/host.ts'
import { listen, startProxy } from '../../support/listen.ts'
import { after, before, list, put, scenario } from '../../support/stage.ts'

describe('the address of another hostname', () => {
  scenario('is used on a GitHub-hosted runner too, from two resolvers', async ({ stage }) => {
    const [record] = await stage.setRecords(
      { content: before },
      { name: 'router.example.com', content: after, ttl: 90 },
    )
    const resolvers = stage.description.doh.join('\n')
    const run = await stage.run(
      { 'address-sources': 'dns:router.example.com', 'doh-resolvers': resolvers },
      { env: { RUNNER_ENVIRONMENT: 'github-hosted' } },
    )
    expect(run.outputs).toMatchObject({ result: 'updated', address: after, requests: '4' })
    const asked = (await stage.journal()).flatMap(({ service, instance }) =>
      service === 'doh' ? [instance] : [],
    )
    expect(asked.toSorted()).toEqual([0, 1])
    expect(await stage.echoRequests()).toEqual([0, 0, 0])
    expect(await stage.dnsRequests()).toEqual([list, put(record)])
    expect(run.log).toMatch(/A from dns:router\.example\.com: 203\.0\.113\.10 \(.*cached for up to 90 s/)
  })
})

describe('an interface of the host', () => {
  const address = (text: string) => ({ address: text, internal: false, scopeid: 0 })
  const inputs = { 'address-sources': 'interface:wan0' }

  scenario('gives its address', async ({ stage }) => {
    await stage.setRecords({ content: before })
    const env = withInterfaces({ lo: [{ address: '127.0.0.1', internal: true }], wan0: [address(after)] })
    const run = await stage.run(inputs, { env })
    expect(run.outputs).toMatchObject({ result: 'updated', address: after, requests: '2' })
  })
})

describe('an echo service', () => {
  scenario('has no vote: an address sent as HTML, a long page, a redirect', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setEchoes(
      { body: after, contentType: 'text/html; charset=utf-8' },
      { body: after.padEnd(5000) },
      { body: '', status: 302, headers: { location: 'http://127.0.0.1:1/' } },
    )
    const run = await stage.run()
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'address-unavailable', address: '' })
    expect(run.annotations[0]?.message).toContain('Only 0 of 3 address sources returned an address')
    expect(await stage.echoRequests()).toEqual([1, 1, 1])
    expect(await stage.dnsRequests()).toEqual([list])
  })

  scenario('that is slow is not waited for', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setEchoes(after, after, { body: after, delayMs: 20_000 })
    const started = performance.now()
    const run = await stage.run()
    expect(run.outputs).toMatchObject({ result: 'updated', requests: '5' })
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(run.summary).toContain('not needed any more')
  })

  scenario('cannot start workflow commands', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setEchoes(
      { body: '::add-mask::failed' },
      { body: 'x\n##[error]x\n::set-env name=PATH::/x' },
      { body: `${after}\n::stop-commands::x\u001b[2J` },
    )
    const run = await stage.run()
    expect(run.outputs['reason']).toBe('address-unavailable')
    expect(run.log).toContain('failed')
    expect(run.raw).not.toMatch(/^::(add-mask::failed|set-env|stop-commands)/m)
    expect(run.raw).not.toContain('##[')
    expect(run.raw).not.toContain('\u001b')
  })

  scenario(
    'is asked over IPv4, without a credential, and its redirect is not followed',
    async ({ stage }) => {
      await stage.setRecords({ content: before })
      const seen: unknown[] = []
      const stranger = createServer(({ url, socket, headers }, response) => {
        seen.push([url, socket.remoteFamily, headers.authorization])
        response.writeHead(302, { location: '/elsewhere' }).end()
      })
      const source = `${await listen(stranger, 'localhost')}/ip`
      const run = await stage.run({ 'address-sources': source }, { unseenRequests: 1 })
      expect(run.outputs['reason']).toBe('address-unavailable')
      expect(seen).toEqual([['/ip', 'IPv4', undefined]])
      stranger.close()
    },
  )

  scenario('behind a proxy is refused, unless no_proxy exempts it', async ({ stage }) => {
    const proxy = await startProxy('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const env = { https_proxy: proxy.url }
    const inputs = { 'address-sources': 'https://echo.test/' }
    const refused = await stage.run(inputs, { env })
    expect(refused.outputs).toMatchObject({ result: 'failed', reason: 'invalid-input', requests: '0' })
    expect(refused.annotations[0]?.message).toMatch(/no_proxy \(echo\.test\).*expected-cidr/)
    const exempt = await stage.run(inputs, { env: { ...env, no_proxy: 'echo.test' }, unseenRequests: 1 })
    expect(exempt.outputs['reason']).toBe('address-unavailable')
    expect(proxy.seen).toEqual([])
    proxy.close()
  })
})
