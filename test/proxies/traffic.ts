import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
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
