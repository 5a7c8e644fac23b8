import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import type { Front } from './front.ts'

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
