import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface Drive {
  readonly signIns: number
  readonly failed: number
  readonly firstFailure: string
  readonly elapsedMs: number
}

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/**
 * Signs people in over several connections at once, as a browser does: login-url, then the callback with that URL's state
 * and a code that names the person. Does not visit the provider.
 */
export async function drive(
  origin: string,
  connections: number,
  people: number,
  durationMs: number,
): Promise<Drive> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const { hostname, port } = new URL(origin)
  const get = (path: string, cookie?: string) =>
    new Promise<Reply>((resolve, reject) => {
      const headers = { 'sec-fetch-site': 'same-origin', ...(cookie ? { cookie } : {}) }
      const sent = request({ agent, hostname, port, path, headers }, response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', chunk => {
          text += chunk
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        )
      })
      sent.once('error', reject)
      sent.end()
    })

  let next = 0
  let signIns = 0
  let failed = 0
  let firstFailure = ''
  const started = performance.now()
  const until = started + durationMs
  async function connection(): Promise<void> {
    while (performance.now() < until) {
      const person = `person${next++ % people}`
      const begun = await get('/api/auth/login-url')
      const { url } = JSON.parse(begun.text) as { url: string }
      const state = encodeURIComponent(new URL(url).searchParams.get('state') ?? '')
      const cookie = begun.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''
      const ended = await get(`/api/auth/callback?code=${person}&state=${state}`, cookie)
      if (ended.status === 200 && ended.text.includes(person) && ended.headers['set-cookie']) signIns += 1
      else {
        failed += 1
        firstFailure ||= `${ended.status} ${ended.text.slice(0, 200)}`
      }
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  const elapsedMs = performance.now() - started
  agent.destroy()
  return { signIns, failed, firstFailure, elapsedMs }
}
