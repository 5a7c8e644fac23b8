import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { encode } from 'dns-packet'
import { afterEach, describe, expect, it } from 'vitest'
import { fc, inTime, runs } from '../testing/random.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()
const rounds = runs(300)

afterEach(async () => {
  expect(await sandbox.named('home.example.com')).toHaveLength(1)
})

/** Writes bytes to a port and returns what the server sent until it closed the connection or `waitMs` passed. */
async function raw(port: number, bytes: Uint8Array | string, waitMs = 300): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1').on('data', chunk => {
    received += chunk
  })
  socket.on('error', () => undefined)
  socket.write(bytes)
  await Promise.race([once(socket, 'close'), new Promise(resolve => setTimeout(resolve, waitMs))])
  socket.destroy()
  return received
}

const batch = 60

/** Sends samples a batch at a time. */
async function sendAll(samples: Uint8Array[], send: (bytes: Uint8Array) => Promise<unknown>): Promise<void> {
  const batches = Array.from({ length: Math.ceil(samples.length / batch) }, (_, at) => at * batch)
  for (const at of inTime(batches)) await Promise.all(samples.slice(at, at + batch).map(send))
}

const apiPort = () => Number(new URL(sandbox.at.cloudflare.baseUrl).port)

// Drawn before the first request: on a busy machine it takes longer than the server keeps an idle connection, and fetch
// would send the next request on one that has just ended.
const targets = fc.sample(fc.tuple(fc.webPath(), fc.webQueryParameters()), runs(60))

describe('the API survives', () => {
  it('bodies with any JSON, and returns an envelope for each', async () => {
    const field = fc.oneof(fc.jsonValue(), fc.constantFrom('A', 'TXT', 'CNAME', '192.0.2.1', 120, true))
    const body = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .record(
          {
            type: field,
            name: field,
            content: field,
            ttl: field,
            proxied: field,
            comment: field,
            tags: field,
          },
          { requiredKeys: [] },
        )
        .map(value => JSON.stringify(value)),
    )
    const samples = fc.sample(body, rounds)
    const statuses = new Set<number>()
    for (const sample of inTime(samples)) {
      const answer = await sandbox.api('POST', sandbox.records, { body: sample })
      expect(answer.body).toHaveProperty('success')
      statuses.add(answer.status)
    }
    expect([...statuses].filter(status => status !== 200 && status !== 400)).toEqual([])
  })

  it('paths and queries with any text', async () => {
    for (const [path, query] of inTime(targets)) {
      const { status } = await sandbox.api('GET', `/zones${path}?${query}`)
      expect(status).toBeLessThan(500)
    }
  })

  it('bytes that are not HTTP', async () => {
    const samples = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 200 }), runs(200))
    await sendAll(samples, bytes => raw(apiPort(), bytes))
  })

  it('a body over 1 MiB, and refuses it with an envelope', async () => {
    const answer = await sandbox.api('POST', sandbox.records, { body: 'x'.repeat(2 * 1024 * 1024) })
    expect(answer).toMatchObject({ status: 413, body: { success: false } })
  })

  it('headers over 16 KiB', async () => {
    expect(
      await raw(apiPort(), `GET / HTTP/1.1\r\nhost: x\r\na: ${'b'.repeat(20_000)}\r\n\r\n`),
    ).not.toContain('200')
  })

  it('NUL bytes after an HTTP/1.0 request, and answers the request', async () => {
    const head = `GET /client/v4${sandbox.records} HTTP/1.0\r\nAuthorization: Bearer ${sandbox.at.cloudflare.dnsToken}`
    const answer = await raw(apiPort(), `${head}\r\n\r\n\0\0\0`)
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/)
    expect(answer).toContain('home.example.com')
  })

  it('a body in a GET request', async () => {
    const request = [
      `GET /client/v4${sandbox.records} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      `Authorization: Bearer ${sandbox.at.cloudflare.dnsToken}`,
      'Content-Type: application/json',
      'Content-Length: 2',
    ]
    expect(await raw(apiPort(), `${request.join('\r\n')}\r\n\r\n{}`)).toMatch(/^HTTP\/1\.1 200 OK/)
  })
})

describe('the name server survives', () => {
  const query = encode({ type: 'query', id: 1, questions: [{ name: 'home.example.com', type: 'A' }] })
  const flips = fc.array(fc.tuple(fc.nat(query.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
  const message = fc.oneof(
    fc.uint8Array({ maxLength: 600 }),
    flips.map(changes => {
      const changed = new Uint8Array(query)
      for (const [at, byte] of changes) changed[at] = byte
      return changed
    }),
  )

  it('datagrams with any bytes', async () => {
    const { host, port } = sandbox.at.nameServer
    const socket = createSocket('udp4')
    for (const bytes of inTime(fc.sample(message, rounds))) {
      await new Promise(resolve => socket.send(bytes, port, host, resolve))
    }
    const answered = once(socket, 'message')
    socket.send(query, port, host)
    await answered
    socket.close()
  })

  it('streams with any bytes, and a message in pieces', async () => {
    const { port } = sandbox.at.nameServer
    const samples = fc.sample(message, runs(60))
    await sendAll(samples, bytes => raw(port, bytes, 50))
    const socket = connect(port, '127.0.0.1')
    const framed = Buffer.concat([Buffer.from([0, query.length]), query])
    socket.write(framed.subarray(0, 5))
    await new Promise(resolve => setTimeout(resolve, 20))
    socket.write(framed.subarray(5))
    const [reply] = (await once(socket, 'data')) as [Buffer]
    expect(reply.readUInt16BE(2)).toBe(1)
    socket.destroy()
  })
})
