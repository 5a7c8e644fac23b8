import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect } from 'vitest'
import { dualStackLocalhost, withInterfaces } from '../../support/host.ts'
import { startProxy } from '../../support/listen.ts'
import { after, before, list, put, type Stage, scenario } from '../../support/stage.ts'

const hosted = { env: { RUNNER_ENVIRONMENT: 'github-hosted' } }

function dns(stage: Stage, name: string) {
  return { 'address-sources': `dns:${name}`, 'doh-resolvers': stage.description.doh.join('\n') }
}

/** Counts the requests to each resolver since the last run started. */
async function resolverRequests(stage: Stage): Promise<readonly number[]> {
  const entries = (await stage.journal()).filter(entry => entry.service === 'doh')
  return [0, 1].map(instance => entries.filter(entry => entry.instance === instance).length)
}

async function expectNothingWritten(stage: Stage): Promise<void> {
  const writes = (await stage.dnsRequests()).filter(request => !request.startsWith('GET '))
  expect(writes).toEqual([])
}

describe('the address of another hostname', () => {
  scenario('is used on a GitHub-hosted runner too, from two resolvers', async ({ stage }) => {
    const [record] = await stage.setRecords(
      { content: before },
      { name: 'router.example.com', content: after, ttl: 90 },
    )
    const run = await stage.run(dns(stage, 'router.example.com'), hosted)
    expect(run.outputs).toMatchObject({ result: 'updated', address: after, requests: '4' })
    expect(await resolverRequests(stage)).toEqual([1, 1])
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
  /** Starts an echo service for the scenario and counts its requests. Returns null if the port is taken. */
  async function startEcho(host: string, body: string, port = 0) {
    let requests = 0
    const server = createServer((_, response) => {
      requests++
      response.writeHead(200, { 'content-type': 'text/plain' }).end(body)
    })
    const listening = new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false)).listen(port, host, () => resolve(true))
    })
    if (!(await listening)) return null
    const address = server.address() as AddressInfo
    return { port: address.port, requests: () => requests, close: () => server.close() }
  }

  /** Starts services on the same port of both families, so that no other process answers on either. */
  async function startEchoPair(bodies: { readonly ipv4: string; readonly ipv6: string }) {
    for (;;) {
      const ipv4 = await startEcho('127.0.0.1', bodies.ipv4)
      const ipv6 = await startEcho('::1', bodies.ipv6, ipv4?.port)
      if (ipv4 && ipv6) return { ipv4, ipv6 }
      ipv4?.close()
      ipv6?.close()
    }
  }

  for (const [type, bodies] of [
    ['A', { ipv4: 'no address', ipv6: after }],
    ['AAAA', { ipv4: '2001:db8::7', ipv6: 'no address' }],
  ] as const) {
    scenario(`for an ${type} record is never asked over the other address family`, async ({ stage }) => {
      await stage.setRecords({ content: before }, { type: 'AAAA', content: '2001:db8::1' })
      const { ipv4, ipv6 } = await startEchoPair(bodies)
      const [own, other] = type === 'A' ? [ipv4, ipv6] : [ipv6, ipv4]
      const inputs = { 'record-type': type, 'address-sources': `http://localhost:${own.port}/` }
      const run = await stage.run(inputs, { env: dualStackLocalhost, unseenRequests: 1 })
      expect(run.outputs).toMatchObject({ result: 'failed', reason: 'address-unavailable' })
      expect([own.requests(), other.requests()]).toEqual([1, 0])
      await expectNothingWritten(stage)
      own.close()
      other.close()
    })
  }

  scenario('behind a proxy is refused, unless expected-cidr is set', async ({ stage }) => {
    const proxy = await startProxy('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const env = { https_proxy: proxy.url }
    const inputs = { 'address-sources': 'https://echo.test/' }
    await stage.setRecords({ content: before })

    const refused = await stage.run(inputs, { env })
    expect(refused.outputs).toMatchObject({ result: 'failed', reason: 'invalid-input', requests: '0' })
    expect(refused.annotations[0]?.message).toMatch(
      /address of the proxy.*no_proxy \(echo\.test\).*expected-cidr/,
    )
    expect(proxy.seen).toEqual([])

    const both = { ...inputs, 'record-type': 'A,AAAA', 'expected-cidr': '203.0.113.0/24\n2001:db8::/32' }
    const guarded = await stage.run(both, { env, unseenRequests: 2 })
    expect(guarded.outputs['reason']).toBe('address-unavailable')
    expect(new Set(proxy.seen)).toEqual(new Set(['CONNECT echo.test:443 undefined']))

    const exempt = await stage.run(inputs, { env: { ...env, no_proxy: 'echo.test' }, unseenRequests: 1 })
    expect(exempt.outputs['reason']).toBe('address-unavailable')
    proxy.close()
  })
})
