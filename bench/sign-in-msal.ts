import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { ConfidentialClientApplication, CryptoProvider } from '@azure/msal-node'
import { app, env, listen, readEmployee } from './employee-server.ts'

/**
 * The same two endpoints as people commonly build them on msal-node: one shared client, PKCE, state, signed cookies, the
 * profile by fetch, one query by name. It does less than the handler: it encrypts no cookies and has no bindings, domain
 * list or log. MSAL gets its metadata from here, so it discovers nothing.
 */
const provider = env('PROVIDER')
const tenantId = env('TENANT_ID')
const authority = `${provider}/${tenantId}`
const redirectUri = `http://localhost:${env('PORT')}/auth/callback`
const key = randomBytes(32)
const pkce = new CryptoProvider()
const client = new ConfidentialClientApplication({
  auth: {
    clientId: 'client',
    clientSecret: 'secret',
    authority,
    knownAuthorities: [new URL(provider).host],
    authorityMetadata: JSON.stringify({
      issuer: `${authority}/v2.0`,
      authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
      token_endpoint: `${authority}/oauth2/v2.0/token`,
      jwks_uri: `${authority}/discovery/v2.0/keys`,
    }),
  },
})

function sign(value: unknown): string {
  const text = Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

function verify(signed: string | undefined): Record<string, string> | null {
  const [text = '', mac = ''] = (signed ?? '').split('.')
  const expected = createHmac('sha256', key).update(text).digest()
  const given = Buffer.from(mac, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, string>
}

const scopes = ['User.Read']

app.get('/api/auth/login-url', async (_, response) => {
  const { verifier, challenge } = await pkce.generatePkceCodes()
  const state = pkce.createNewGuid()
  const url = await client.getAuthCodeUrl({
    scopes,
    redirectUri,
    state,
    codeChallenge: challenge,
    codeChallengeMethod: 'S256',
  })
  response.setHeader('set-cookie', `transaction=${sign({ verifier, state })}; Path=/; HttpOnly; SameSite=Lax`)
  response.json({ url })
})

app.get('/api/auth/callback', async (request, response) => {
  const transaction = verify(/transaction=([^;]+)/.exec(request.headers.cookie ?? '')?.[1])
  const { code, state } = request.query
  if (!transaction || typeof code !== 'string' || state !== transaction['state']) {
    response.sendStatus(400)
    return
  }
  const codeVerifier = transaction['verifier'] ?? ''
  const { accessToken } = await client.acquireTokenByCode({ code, scopes, redirectUri, codeVerifier })
  const me = await fetch(`${provider}/v1.0/me`, { headers: { authorization: `Bearer ${accessToken}` } })
  const { mail } = (await me.json()) as { mail: string }
  const user = await readEmployee('user_name', mail.split('@')[0])
  if (!user) {
    response.sendStatus(401)
    return
  }
  response.setHeader('set-cookie', `session=${sign(user)}; Path=/; HttpOnly; SameSite=Lax`)
  response.json({ user })
})

listen()
