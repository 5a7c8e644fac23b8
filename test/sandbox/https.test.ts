import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

async function get(host: string, path: string, headers: Record<string, string> = {}) {
  const { https, ca } = sandbox.at
  const asked = { hostname: '127.0.0.1', port: https.port, servername: host, path, ca }
  const [response] = await once(request({ ...asked, headers: { ...headers, host } }).end(), 'response')
  return { status: response.statusCode, text: await text(response) }
}

/** Completes a handshake for a host, and returns the certificate shown. */
const handshake = (servername: string) =>
  new Promise<{ certificate: PeerCertificate; socket: TLSSocket }>((resolve, reject) => {
    const { ca, https: at } = sandbox.at
    const socket = connect({ ...at, ca, servername }, () => {
      resolve({ certificate: socket.getPeerCertificate(), socket })
      socket.end()
    })
    socket.once('error', reject)
  })

const bearer = () => ({ authorization: `Bearer ${sandbox.at.cloudflare.dnsToken}` })

describe('the HTTPS port', () => {
  it('serves the API under its own name to clients that trust the authority', async () => {
    const answer = await get('api.cloudflare.com', `/client/v4${sandbox.records}`, bearer())
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text).result).toHaveLength(2)
  })

  it('shows a certificate for exactly the requested host, issued by its authority', async () => {
    const authority = new X509Certificate(sandbox.at.ca)
    expect(authority.ca).toBe(true)
    for (const host of [
      'api.cloudflare.com',
      'Deep.Under.Example.COM',
      `${'a'.repeat(60)}.${'b'.repeat(60)}.example`,
    ]) {
      const { certificate } = await handshake(host)
      const issued = new X509Certificate(certificate.raw)
      expect(issued.subjectAltName).toBe(`DNS:${host.toLowerCase()}`)
      expect(issued.ca).toBe(false)
      expect(issued.checkIssued(authority)).toBe(true)
      expect(issued.verify(authority.publicKey)).toBe(true)
      const days = (issued.validToDate.getTime() - Date.now()) / (24 * 3600 * 1000)
      expect(days).toBeGreaterThan(80)
      expect(days).toBeLessThan(398)
    }
  })

  it.each([
    ['api4.ipify.org', 0],
    ['checkip.amazonaws.com', 1],
    ['ipv4.icanhazip.com', 2],
  ])('serves the echo %s', async (host, instance) => {
    expect(await get(host, '/')).toEqual({ status: 200, text: '203.0.113.10\n' })
    expect(sandbox.control.journal().at(-1)).toMatchObject({ service: 'echo', instance })
  })

  it.each([
    ['cloudflare-dns.com', '/dns-query', 0],
    ['dns.google', '/resolve', 1],
  ])('serves the resolver %s', async (host, path, instance) => {
    const answer = await get(host, `${path}?name=home.example.com&type=A`)
    expect(JSON.parse(answer.text).Answer).toMatchObject([{ data: '192.0.2.10' }])
    expect(sandbox.control.journal().at(-1)).toMatchObject({ service: 'doh', instance })
  })
})
