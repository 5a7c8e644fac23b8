import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createAuthority } from '../sandbox/http/certificates.ts'
import { listen } from '../test/support/listen.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'

/** A minimal identity provider over TLS. */
export type StubProvider = Awaited<ReturnType<typeof startStubProvider>>

const tenantId = '9f3c2d1e-0000-4000-8000-000000000001'

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Answers at Entra's paths and checks nothing: a code is the name of a person, the access token is the code, and a request
 * for `openid` gets an unsigned ID token. A profile also has the `account` of DigitalOcean's API. All contenders use it.
 */
export async function startStubProvider() {
  const file = join(temporaryFolder(), 'authority.pem')
  const authority = await createAuthority()
  await writeFile(file, authority.pem)
  const tls = { ...authority.issue('localhost'), keepAliveTimeout: 60_000 }
  const server = createServer(tls, async (request, response) => {
    function answer(body: unknown) {
      const json = JSON.stringify(body)
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }
      response.writeHead(200, headers).end(json)
    }
    if (request.method === 'GET') {
      const person = request.headers.authorization?.slice('Bearer '.length) ?? ''
      const address = `${person}@example.com`
      const names = { displayName: person, mail: address, userPrincipalName: address }
      return answer({ id: `id-${person}`, ...names, account: { email: address } })
    }
    const form = new URLSearchParams(await text(request))
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
  const origin = (await listen(server)).replace('http://127.0.0.1', 'https://localhost')
  async function close() {
    server.closeAllConnections()
    await server[Symbol.asyncDispose]()
  }
  return {
    origin,
    tenantId,
    /** File with the certificate authority that it has its certificate from. */
    authority: file,
    close,
  }
}
