import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import type { Front } from './front.ts'

const halfBytes = 10_000_000

/** Declares what a proxy must let an application do: take large uploads, and answer bit by bit or with many cookies. */
export function testTraffic(front: Front): void {
  /** Starts a request of a person who is signed in. */
  async function start(method: string, target: string) {
    const { cookie } = await front.signedIn()
    const [name = '', value = ''] = cookie.split(': ')
    const headers = { [name]: value, host: `${front.host}:${front.proxy().port}` }
    const { port } = front.proxy()
    const sent = request({ host: '127.0.0.1', port, method, path: target, headers })
    const response = once(sent, 'response').then(([message]: IncomingMessage[]) => {
      if (message === undefined) throw new Error('no response')
      return message.setEncoding('utf8')
    })
    return { sent, response }
  }

  it('passes an upload of 20 MB while it is sent', async () => {
    const before = front.receivedBytes()
    const { sent, response } = await start('POST', '/timesheets/upload')
    const refused = response.then(({ statusCode }) => {
      throw new Error(`The proxy answered ${statusCode} before the upload was over.`)
    })
    sent.write(Buffer.alloc(halfBytes))
    await Promise.race([
      refused,
      expect.poll(front.receivedBytes, { timeout: 10_000 }).toBe(before + halfBytes),
    ])
    refused.catch(() => undefined)
    sent.end(Buffer.alloc(halfBytes))
    expect((await response).statusCode).toBe(200)
    expect(front.receivedBytes()).toBe(before + 2 * halfBytes)
  })

  it.each(['text/event-stream', 'application/x-ndjson'])(
    'passes each part of a stream of %s at once',
    async type => {
      const { sent, response } = await start('GET', `/timesheets/stream?${type}`)
      sent.end()
      const parts = (await response).iterator()
      for (const part of ['first', 'second']) {
        const next = await start('GET', `/timesheets/next?${part}`)
        next.sent.end()
        ;(await next.response).resume()
        expect(await parts.next()).toMatchObject({ value: `data: ${part}\n\n` })
      }
      sent.destroy()
    },
  )

  it('passes 16 KB of cookies that the application sets', async () => {
    const { sent, response } = await start('GET', '/timesheets/cookies')
    sent.end()
    const { statusCode, headers } = (await response).resume()
    expect([statusCode, headers['set-cookie']?.length]).toEqual([200, 4])
  })
}

/** Declares what docs/proxies.md says about a WebSocket that is already open. */
export function testOpenWebSockets(front: Front): void {
  const isBounded = front.name === 'nginx'

  it(`keeps a WebSocket open after a deactivation${isBounded ? ', and ends it when it reloads' : ''}`, async () => {
    const { person, cookie } = await front.signedIn()
    const socket = connect(front.proxy().port, '127.0.0.1')
    const closed = once(socket, 'close')
    let received = ''
    socket.setEncoding('latin1').on('data', chunk => {
      received += chunk
    })
    const head = [
      'GET /timesheets/live?stays HTTP/1.1',
      `Host: ${front.host}:${front.proxy().port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZQ==',
      cookie,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    await expect.poll(() => received).toContain(`hello ${person.userName}`)
    const sql = 'UPDATE employees SET is_active = false WHERE id = $1'
    await front.stage().store.query(sql, [person.employeeId])
    expect((await front.ask('/timesheets/', { headers: [cookie] })).status).toBe(401)
    socket.write('still open')
    await expect.poll(() => received).toContain('still open')
    if (isBounded) front.proxy().reload()
    else socket.destroy()
    await closed
    expect((await front.ask('/timesheets/', { headers: [cookie] })).status).toBe(401)
  })
}
