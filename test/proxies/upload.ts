import { type ClientRequest, request } from 'node:http'
import { type ClientHttp2Stream, connect } from 'node:http2'

/** An upload, as browsers send it over HTTP/1.1 or HTTP/2: with its length, or in chunks of unknown length. */
export interface Upload {
  readonly version: 1 | 2
  readonly host: string
  readonly path: string
  readonly bytes: number
  readonly hasLength: boolean
  /** The Cookie header's value; blank for none. */
  readonly cookie: string
}

const partBytes = 100_000

/** Sends the body until the answer comes: a proxy that refuses the request need not read it. */
async function sendBody(stream: ClientRequest | ClientHttp2Stream, bytes: number): Promise<void> {
  const part = Buffer.alloc(partBytes, 'x')
  const closed = new Promise(done => stream.once('close', done))
  for (let sent = 0; sent < bytes && stream.writable && !stream.destroyed; sent += partBytes)
    if (!stream.write(part)) await Promise.race([closed, new Promise(done => stream.once('drain', done))])
  stream.end()
}

/** Uploads `bytes`, a multiple of 100,000, to a port of loopback. Returns the status of the answer. */
export async function upload(
  port: number,
  { version, host, path, bytes, hasLength, cookie }: Upload,
): Promise<number> {
  const headers = {
    ...(cookie && { cookie }),
    ...(hasLength && { 'content-length': bytes }),
    accept: 'application/json',
  }
  if (version === 1) {
    const chunked = hasLength ? {} : { 'transfer-encoding': 'chunked' }
    const sending = request({
      port,
      host: '127.0.0.1',
      path,
      method: 'POST',
      agent: false,
      headers: { host, ...headers, ...chunked },
    })
    return new Promise((resolve, reject) => {
      sending.on('error', reject)
      sending.on('response', response => {
        resolve(response.statusCode ?? 0)
        response.on('error', () => undefined).resume()
      })
      void sendBody(sending, bytes)
    })
  }
  const session = connect(`http://127.0.0.1:${port}`)
  try {
    return await new Promise((resolve, reject) => {
      session.on('error', reject)
      const stream = session.request({ ':method': 'POST', ':path': path, ':authority': host, ...headers })
      stream.on('error', reject)
      stream.on('response', answer => resolve(Number(answer[':status'])))
      stream.resume()
      void sendBody(stream, bytes)
    })
  } finally {
    session.destroy()
  }
}
