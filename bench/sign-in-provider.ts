import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A minimal identity provider over TLS. */
export interface StubProvider {
  readonly origin: string
  readonly tenantId: string
  /** PEM of its certificate, for NODE_EXTRA_CA_CERTS. */
  readonly certificateFile: string
  close(): Promise<void>
}

const tenantId = '9f3c2d1e-0000-4000-8000-000000000001'

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Answers at Entra's paths and checks nothing: a code is the name of a person, the access token is the code, and a request
 * for `openid` gets an unsigned ID token. A profile also has the `account` of DigitalOcean's API. All contenders use it.
 */
export async function startStubProvider(): Promise<StubProvider> {
  const folder = await mkdtemp(join(tmpdir(), 'homeport-bench-'))
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const request = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
  ]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  await promisify(execFile)('openssl', [...request, '-keyout', keyFile, '-out', certificateFile, ...names])
  const tls = { key: await readFile(keyFile), cert: await readFile(certificateFile) }
  const server = createServer({ ...tls, keepAliveTimeout: 60_000 }, (request, response) => {
    function answer(body: unknown) {
      const text = JSON.stringify(body)
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
        .end(text)
    }
    if (request.method === 'GET') {
      const person = request.headers.authorization?.slice('Bearer '.length) ?? ''
      const address = `${person}@example.com`
      const account = { email: address }
      return answer({
        id: `id-${person}`,
        displayName: person,
        mail: address,
        userPrincipalName: address,
        account,
      })
    }
    let text = ''
    request.on('data', chunk => {
      text += chunk
    })
    request.on('end', () => {
      const form = new URLSearchParams(text)
      const person = form.get('code') ?? ''
      const scope = form.get('scope') ?? ''
      const basic = { token_type: 'Bearer', scope: 'User.Read', expires_in: 3600, access_token: person }
      if (!scope.includes('openid')) return answer(basic)
      const seconds = Math.floor(Date.now() / 1000)
      const claims = {
        iss: `${origin}/${tenantId}/v2.0`,
        aud: form.get('client_id'),
        sub: person,
        oid: person,
        tid: tenantId,
        preferred_username: `${person}@example.com`,
        iat: seconds,
        exp: seconds + 3600,
      }
      const idToken = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}.AAAA`
      answer({ ...basic, id_token: idToken, client_info: encoded({ uid: person, utid: tenantId }) })
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`
  return {
    origin,
    tenantId,
    certificateFile,
    async close() {
      server.closeAllConnections()
      await new Promise<void>(resolve => server.close(() => resolve()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
