import { connect } from 'node:net'
import { timeLimit } from './time-limit.ts'

/** A response as it came over the wire. */
export type Response = Awaited<ReturnType<typeof send>>

/** Returns the bytes of a request, after which the connection closes unless a header says what it does. Chunks end at once. */
export function bytesOf(line: string, host: string, headers: readonly string[], body = ''): string {
  const close = headers.some(header => /^connection:/i.test(header)) ? [] : ['Connection: close']
  const last = headers.some(header => /chunked$/.test(header)) ? '0\r\n\r\n' : ''
  return `${[`${line} HTTP/1.1`, `Host: ${host}`, ...close, ...headers].join('\r\n')}\r\n\r\n${body}${last}`
}

/**
 * Sends these bytes. Returns the first response.
 * @param options.ends Whether to end this direction, as workerd wants: it keeps a connection that `Connection: close` ends.
 *   Node and nginx would take that for a visitor who left.
 * @param options.from The address to send from, of 127.0.0.0/8, or ::1.
 */
export async function send(port: number, bytes: string, { ends = false, from = '127.0.0.1' } = {}) {
  const socket = connect({ port, host: from.includes(':') ? from : '127.0.0.1', localAddress: from })
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk))
  socket.write(Buffer.from(bytes, 'latin1'))
  if (ends) socket.end()
  socket.setTimeout(timeLimit(60_000), () => socket.destroy(new Error('no response')))
  await new Promise<void>((resolve, reject) => {
    socket.once('close', () => resolve())
    // A proxy that refuses a request before it read all of it resets the connection behind its answer.
    socket.once('error', error => (chunks.length > 0 ? resolve() : reject(error)))
  })
  const text = Buffer.concat(chunks).toString('latin1')
  const [head = '', ...body] = text.split('\r\n\r\n')
  const [line = '', ...headers] = head.split('\r\n')
  return {
    status: Number(line.split(' ')[1] ?? 0),
    headers: headers.map(header => header.toLowerCase()),
    text: body.join('\r\n\r\n'),
    /** All of it, as it came. */
    raw: text,
  }
}
