import { once } from 'node:events'
import { connect } from 'node:net'
import { encode } from 'dns-packet'
import { afterEach, describe, expect, it } from 'vitest'
import { runSandbox } from './running.ts'

// Random requests and packets are in fuzz.test.ts.
const sandbox = runSandbox()

afterEach(async () => {
  expect(await sandbox.named('home.example.com')).toHaveLength(1)
})

/** Sends lines to the API, and returns what it sent until it closed the connection. */
async function raw(lines: readonly string[], rest = ''): Promise<string> {
  const socket = connect(Number(new URL(sandbox.at.cloudflare.baseUrl).port), '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1').on('data', chunk => {
    received += chunk
  })
  socket.on('error', () => undefined)
  socket.write(`${lines.join('\r\n')}\r\n\r\n${rest}`)
  await once(socket, 'close')
  return received
}

const listing = (version: string) => [
  `GET /client/v4${sandbox.records} HTTP/${version}`,
  `Authorization: Bearer ${sandbox.at.cloudflare.dnsToken}`,
]

describe('the API survives', () => {
  it('a body over 1 MiB, and refuses it with an envelope', async () => {
    const answer = await sandbox.api('POST', sandbox.records, { body: 'x'.repeat(2 * 1024 * 1024) })
    expect(answer).toMatchObject({ status: 413, body: { success: false } })
  })

  it('headers over 16 KiB', async () => {
    expect(await raw(['GET / HTTP/1.1', 'Host: x', `a: ${'b'.repeat(20_000)}`])).not.toContain('200')
  })

  it('NUL bytes after an HTTP/1.0 request, and answers the request', async () => {
    const answer = await raw(listing('1.0'), '\0\0\0')
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/)
    expect(answer).toContain('home.example.com')
  })

  it('a body in a GET request', async () => {
    const more = ['Host: x', 'Connection: close', 'Content-Type: application/json', 'Content-Length: 2']
    expect(await raw([...listing('1.1'), ...more], '{}')).toMatch(/^HTTP\/1\.1 200 OK/)
  })
})

it('the name server answers a message that arrives in pieces', async () => {
  const query = encode({ type: 'query', id: 1, questions: [{ name: 'home.example.com', type: 'A' }] })
  const socket = connect(sandbox.at.nameServer.port, '127.0.0.1')
  const framed = Buffer.concat([Buffer.from([0, query.length]), query])
  socket.write(framed.subarray(0, 5))
  await new Promise(resolve => setTimeout(resolve, 20))
  socket.write(framed.subarray(5))
  const [reply] = (await once(socket, 'data')) as [Buffer]
  expect(reply.readUInt16BE(2)).toBe(1)
  socket.destroy()
})
