import { createServer } from 'node:http'
import { expect, it, vi } from 'vitest'
import { exchange, requireSafeUrl } from '../../infra/http.ts'
import { listen } from '../support/listen.ts'

it('repeats a request whose answer was cut, but not one that a redirect would lead elsewhere or that a page refuses', async () => {
  const asked: string[] = []
  const whole = '--b\r\nContent-Disposition: form-data; name="worker.js"\r\n\r\ncode\r\n--b--\r\n'
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    if (url === '/page') return response.writeHead(403, { 'content-type': 'text/html' }).end('<html></html>')
    if (url === '/text') return response.end('no JSON')
    if (url === '/moved') return response.writeHead(302, { location: '/other' }).end()
    response.setHeader('content-type', 'multipart/form-data; boundary=b')
    return response.end(asked.length === 1 ? whole.slice(0, 40) : whole)
  })
  const root = await listen(server)
  try {
    const cut = await exchange(`${root}/content`, { headers: {}, answer: 'module' })
    expect(cut).toMatchObject({ status: 200, body: 'code' })
    const moved = await exchange(`${root}/moved`, { headers: {} })
    expect(moved).toMatchObject({ status: null, problem: expect.stringContaining('was redirected') })
    const page = await exchange(`${root}/page`, { headers: {} })
    expect(page).toMatchObject({ status: null, problem: expect.stringContaining('nothing of the token') })
    // Whatever a caller looks for in it is missing.
    expect(await exchange(`${root}/text`, { headers: {} })).toEqual({ status: 200, body: null })
    expect(asked).toEqual(['/content', '/content', '/moved', '/page', '/text'])
  } finally {
    server.close()
  }
})

it('says what failed when there is no answer: a response that is too long, one that ends without an error, a reset', async () => {
  const server = createServer(({ url, socket }, response) => {
    if (url === '/long') response.end(Buffer.alloc(4 * 1024 * 1024 + 1, ' '))
    // Neither a response nor an error follows.
    else if (url === '/upgrade')
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
    else socket.resetAndDestroy()
  })
  const root = await listen(server)
  const problemOf = async (path: string) => {
    const answer = await exchange(root + path, { method: 'POST', headers: {} })
    return 'problem' in answer ? answer.problem : answer.status
  }
  try {
    expect(await problemOf('/long')).toBe('the response is longer than 4194304 bytes')
    expect(await problemOf('/upgrade')).toBe('no response (closed)')
    expect(await problemOf('/reset')).toBe('no response (ECONNRESET)')
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

it('sends a token to no URL that a line break inside would change', () => {
  expect(requireSafeUrl('https://graph.example.com/', 'GRAPH_URL')).toBe('https://graph.example.com')
  expect(() => requireSafeUrl('https://graph.\nexample.com', 'GRAPH_URL')).toThrow(
    'GRAPH_URL is not an https URL.',
  )
})

it.each(['proxy.example:3128', 'http://user:50%@proxy.example:3128'])(
  'sends nothing past the proxy %s',
  async proxy => {
    vi.stubEnv('HTTPS_PROXY', proxy)
    const sent = exchange('https://127.0.0.1:1/', { headers: {} })
    await expect(sent).rejects.toThrow(/^HTTPS_PROXY is not the URL of an HTTP proxy, /)
    vi.unstubAllEnvs()
  },
)
