import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { onList, type Stage, startStage } from '../support/stage.ts'
import { first, home, hostLine, otherPassword, password, second } from './endpoint.ts'
import { type Started, startNode, startWorker } from './started.ts'
import { settingsFor } from './support.ts'

let stage: Stage & { close(): Promise<void> }
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())
afterEach(() => stage.setFaults())

async function settings(): Promise<Record<string, string>> {
  return { ...settingsFor(stage.description), HOSTS: await hostLine(home), PLAIN_HTTP: 'true' }
}

/** Sends bytes and returns everything that comes back until the connection ends. */
async function exchangeBytes(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

describe.each([
  ['on Node', startNode],
  ['on workerd', startWorker],
] as const)('the endpoint %s', (runtime, start) => {
  let endpoint: Started
  beforeAll(async () => {
    endpoint = await start(await settings())
  })
  afterAll(() => endpoint.stop())

  async function ping(path: string, given = password) {
    const sent = httpRequest({
      host: '127.0.0.1',
      port: endpoint.port,
      path,
      headers: { authorization: `Basic ${btoa(`any:${given}`)}`, 'cf-connecting-ip': second },
    })
    sent.end()
    const [response] = await once(sent, 'response')
    return { status: response.statusCode, headers: response.headers, body: await text(response) }
  }

  it('keeps the record, and answers with a length and never in chunks', async () => {
    await stage.setRecords({ content: first })
    for (const word of ['good', 'nochg']) {
      const { status, headers, body } = await ping(`//nic/update?hostname=${home}&myip=${second}`)
      expect([status, body]).toEqual([200, `${word} ${second}\n`])
      expect(headers).toMatchObject({ 'content-length': String(body.length), 'content-type': 'text/plain' })
      expect(headers).not.toHaveProperty('transfer-encoding')
    }
    expect((await stage.records())[0]).toMatchObject({ content: second })
  })

  it('answers every word that fails', async () => {
    await stage.setRecords({ content: first })
    expect(await ping(`/nic/update?hostname=${home}`, otherPassword)).toMatchObject({
      status: 401,
      body: 'badauth\n',
    })
    expect(await ping(`/nic/update?hostname=${home}&myip=10.0.0.7`)).toMatchObject({ status: 503 })
    await stage.setFaults({ match: onList, times: null, answer: { kind: 'respond', status: 403 } })
    expect(await ping(`/nic/update?hostname=${home}&myip=${second}`)).toMatchObject({
      status: 503,
      body: '911\n',
    })
    for (const secret of [password, otherPassword, stage.description.cloudflare.dnsToken])
      expect(endpoint.output()).not.toContain(secret)
  })

  it.each([
    ['headers', 'GET /nic/update HTTP/1.1\r\nHost: push.example\r\nX-More: '],
    [
      'a form',
      'POST /nic/update HTTP/1.1\r\nHost: push.example\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 99\r\n\r\nhostname=',
    ],
  ])('answers others while 200 clients never finish %s', async (_, bytes) => {
    await stage.setRecords({ content: second })
    const sockets = Array.from({ length: 200 }, () => connect(endpoint.port, '127.0.0.1'))
    try {
      await Promise.all(sockets.map(socket => once(socket, 'connect')))
      for (const socket of sockets) socket.on('error', () => {}).write(bytes)
      expect(await ping(`/nic/update?hostname=${home}&myip=${second}`)).toMatchObject({
        status: 200,
        body: `nochg ${second}\n`,
      })
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })

  it('answers a request in HTTP/1.0 with bytes behind it', async () => {
    await stage.setRecords({ content: second })
    const head = `GET /nic/update?hostname=${home}&myip=${second} HTTP/1.0\r\nHost: push.example\r\n`
    const bytes = `${head}Authorization: Basic ${btoa(`any:${password}`)}\r\n\r\n`
    const answer = await exchangeBytes(endpoint.port, runtime === 'on Node' ? `${bytes}\0` : bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.[01] 200 [^]*\r\n\r\nnochg ${second}\n$`))
  })
})

describe('the address of a caller', () => {
  it('is that of the connection, or of the proxy’s header if the proxy is trusted', async () => {
    await stage.setRecords({ content: first })
    const plain = await settings()
    const { PLAIN_HTTP: _, ...strict } = plain
    for (const [env, headers, status, body] of [
      [plain, { 'x-forwarded-for': first }, 503, /^dnserr/],
      [strict, { 'x-forwarded-for': first, 'x-forwarded-proto': 'https' }, 401, /^badauth/],
      [
        { ...strict, TRUSTED_PROXIES: '127.0.0.0/8' },
        { 'x-forwarded-for': `9.9.9.9, ${first}:4711` },
        401,
        /^badauth/,
      ],
      [
        { ...strict, TRUSTED_PROXIES: '127.0.0.0/8' },
        { 'x-forwarded-for': `9.9.9.9, ${first}:4711`, 'x-forwarded-proto': 'https' },
        200,
        new RegExp(`^nochg ${first}`),
      ],
    ] as const) {
      const endpoint = await startNode(env)
      const response = await fetch(`http://127.0.0.1:${endpoint.port}/nic/update?hostname=${home}`, {
        headers: { authorization: `Basic ${btoa(`any:${password}`)}`, connection: 'close', ...headers },
      })
      expect([response.status, await response.text()]).toEqual([status, expect.stringMatching(body)])
      await endpoint.stop()
    }
  })
})

it('refuses to start on Node with wrong settings, and names each', async () => {
  const child = spawn(process.execPath, [join(root, 'push/cli.ts'), 'serve'], { env: { TTL: '5' } })
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(status).toBe(2)
  for (const name of ['API_TOKEN', 'ZONE_ID', 'HOSTS', 'TTL']) expect(output).toContain(`"message":"${name} `)
})
