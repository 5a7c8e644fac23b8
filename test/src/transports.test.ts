import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { fetchTransport } from '../../src/sign-in/fetch-transport.ts'
import { nodeTransport } from '../../src/sign-in/node-transport.ts'

/** Starts a server that answers with these bytes, then hangs up or waits. */
async function serve(bytes: string, end: boolean): Promise<string> {
  server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write(bytes)
      if (end) socket.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

let server: Server | undefined
const sockets = new Set<Socket>()
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  server?.close()
})

describe.each([
  { name: 'node:http', transport: nodeTransport },
  { name: 'fetch', transport: fetchTransport },
])('requests to the provider with $name', ({ transport }) => {
  const ask = async (bytes: string, end: boolean) =>
    transport(await serve(bytes, end), { method: 'GET', headers: {} }, 400)

  it.each([
    ['a protocol upgrade', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['half of the promised bytes', 'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{"a":'],
    ['one chunk without an end', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n'],
    ['no bytes', ''],
  ])('fail in time after %s', async (_, bytes) => {
    await expect(ask(bytes, true)).rejects.toMatchObject({
      failure: expect.stringMatching(/no-answer|timeout/),
    })
    await expect(ask(bytes, false)).rejects.toMatchObject({
      failure: expect.stringMatching(/no-answer|timeout/),
    })
  })

  it('wait for the final response after an early hint', async () => {
    const bytes =
      'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'
    expect(await ask(bytes, false)).toMatchObject({ status: 200, text: '{}' })
  })

  it('return a redirect and do not follow it', async () => {
    const bytes = 'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n'
    expect(await ask(bytes, false)).toMatchObject({ status: 302, text: '' })
  })
})
