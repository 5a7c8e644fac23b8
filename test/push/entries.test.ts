import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { type Stage, startStage } from '../support/stage.ts'
import { cases, openings, setRecords, settingsOn } from './cases.ts'
import { first, home, password, second } from './endpoint.ts'
import { expectNoSecret } from './secrets.ts'
import { ask, runtimes, type Started, startNode } from './started.ts'

let stage: Stage & { close(): Promise<void> }
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())
afterEach(() => stage.setFaults())

/** Sends bytes and returns everything that comes back until the connection ends. */
async function exchangeBytes(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

const form = `hostname=${home}&myip=${first}`
const unread = 'dnserr Send hostname and myip in the query, or as a form.'

describe.each(runtimes)('the endpoint %s', (runtime, start) => {
  let endpoint: Started
  beforeAll(async () => {
    endpoint = await start(await settingsOn(stage))
  })
  afterAll(() => endpoint.stop())
  beforeEach(() => setRecords(stage))

  it.each(cases)('answers %s to the byte', async (_, { query, given, fault, status, headers, body }) => {
    if (fault) await stage.setFaults(fault)
    const answer = await ask(endpoint, `//nic/update?${query}`, given)
    expect(answer).toEqual({
      status,
      // Neither chunked nor compressed.
      headers: {
        'content-type': 'text/plain',
        'content-length': String(body.length),
        'cache-control': 'no-store, no-transform',
        ...headers,
      },
      body,
    })
    await expectNoSecret(stage, endpoint, answer)
  })

  it.each([
    ['a form', {}, 200, `nochg ${first}`],
    ['a form in chunks', { isChunked: true }, 503, unread],
    ['a form that is too long', { body: `${form}${'&x='.padEnd(9000, 'x')}` }, 503, unread],
    ['JSON', { type: 'application/json' }, 503, unread],
    ['several parts', { type: 'multipart/form-data; boundary=x' }, 503, unread],
    ['no body', { body: '' }, 200, 'notfqdn'],
  ] as const)('takes a POST with %s as far as it can be read', async (_, change, status, said) => {
    const posted = { type: 'application/x-www-form-urlencoded', body: form, ...change }
    const answer = await ask(endpoint, '/nic/update', password, posted)
    expect(answer).toMatchObject({ status, body: `${said}\n` })
  })

  it('takes the query of a POST whose body is not read', async () => {
    const posted = { type: 'application/json', body: '{}' }
    const { body } = await ask(endpoint, `/nic/update?${form}`, password, posted)
    expect(body).toBe(`nochg ${first}\n`)
  })

  it('writes nothing for a thousand pings with the same address, and once for the next one', async () => {
    await stage.control('DELETE', '/journal')
    // The endpoint respects what the service says is left of 1,200 requests in five minutes. This starts the count over.
    await stage.control('PUT', '/limits', { enforce: false })
    const same = `/nic/update?hostname=${home}&myip=${first}`
    for (let pings = 0; pings < 1000; pings += 10) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => ask(endpoint, same)))
      expect(new Set(answers.map(({ body }) => body))).toEqual(new Set([`nochg ${first}\n`]))
    }
    const methods = async () => (await stage.journal()).map(({ method }) => method)
    expect(await methods()).toEqual(Array(1000).fill('GET'))
    await stage.control('DELETE', '/journal')
    const next = await ask(endpoint, `/nic/update?hostname=${home}&myip=${second}`)
    expect(next.body).toBe(`good ${second}\n`)
    expect(await methods()).toEqual(['GET', 'PUT', 'GET'])
  })

  it.each(openings)('answers others while 200 clients never finish %s', async (_, bytes) => {
    const sockets = Array.from({ length: 200 }, () => connect(endpoint.port, '127.0.0.1'))
    try {
      await Promise.all(sockets.map(socket => once(socket, 'connect')))
      for (const socket of sockets) socket.on('error', () => {}).write(bytes)
      expect(await ask(endpoint, `/nic/update?hostname=${home}&myip=${first}`)).toMatchObject({
        status: 200,
        body: `nochg ${first}\n`,
      })
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })

  it('answers a client that has ended its side of the connection', async () => {
    const head = `GET /nic/update?hostname=${home}&myip=${first} HTTP/1.1\r\nHost: push.example\r\n`
    const socket = connect(endpoint.port, '127.0.0.1')
    socket.end(`${head}Authorization: Basic ${btoa(`any:${password}`)}\r\n\r\n`)
    expect(await text(socket)).toContain(`\r\n\r\nnochg ${first}\n`)
  })

  it('answers a request in HTTP/1.0 with bytes behind it', async () => {
    const head = `GET /nic/update?hostname=${home}&myip=${first} HTTP/1.0\r\nHost: push.example\r\n`
    const bytes = `${head}Authorization: Basic ${btoa(`any:${password}`)}\r\n\r\n`
    const answer = await exchangeBytes(endpoint.port, runtime === 'on Node' ? `${bytes}\0` : bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.[01] 200 [^]*\r\n\r\nnochg ${first}\n$`))
  })
})

describe('the address of a caller', () => {
  it('is that of the connection, or of the proxy’s header if the proxy is trusted', async () => {
    await stage.setRecords({ content: first })
    const plain = await settingsOn(stage)
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
      [
        // The names of schemes have no case (RFC 3986, section 3.1).
        { ...strict, TRUSTED_PROXIES: '127.0.0.0/8' },
        { 'x-forwarded-for': first, 'x-forwarded-proto': 'HTTPS' },
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

it('ends without a stack if its output is closed early', async () => {
  const child = spawn(process.execPath, [join(root, 'push/cli.ts'), '--help'])
  child.stdout.destroy()
  const [problems, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect([problems, status]).toEqual(['', 0])
})
