import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Entra } from '../../sandbox/testing/entra.ts'
import { createSessionKey } from '../../src/session/keys.ts'
import { freePort } from '../../tools/free-port.ts'
import { type Postgres, startPostgres } from '../../tools/postgres.ts'
import { bundleServer, minNode } from '../../tools/server.ts'
import { listen } from '../support/listen.ts'
import { nodeRelease } from '../support/node-release.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { Visitor } from '../support/visitor.ts'

const releases = Object.entries(minNode).map(([major, minor]) => `${major}.${minor}.0`)
const account = 'ada@example.com'

describe.each(releases)('the bundled server on Node.js %s, the oldest release that it accepts', version => {
  let node: string
  let work: string
  let postgres: Postgres
  let entra: Entra
  let settings: Readonly<Record<string, string>>
  let proxyUrl = ''
  const tunnelled: string[] = []
  const trusted = getCACertificates('default')
  const proxy = createServer().on('connect', (request, socket) => {
    const [, port] = /^localhost:(\d+)$/.exec(request.url ?? '') ?? []
    tunnelled.push(request.url ?? '')
    const onward = connect(Number(port), '127.0.0.1')
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    socket.pipe(onward).pipe(socket)
    for (const end of [socket, onward]) end.on('error', () => undefined)
  })

  beforeAll(async () => {
    node = await nodeRelease(version)
    work = temporaryFolder()
    await bundleServer(join(work, 'server.js'))
    postgres = await startPostgres('postgres')
    const port = await freePort()
    const redirectUri = `http://localhost:${port}/auth/callback`
    entra = await Entra.start({ redirectUris: [redirectUri], secure: true })
    entra.setUsers([
      { id: crypto.randomUUID(), userPrincipalName: account, mail: account, displayName: 'Ada' },
    ])
    const { ca } = entra.sandbox.description
    await writeFile(join(work, 'ca.pem'), ca)
    setDefaultCACertificates([...trusted, ca])
    proxyUrl = await listen(proxy)
    const { instance, graphUrl, tenantId, clientId, clientSecret } = entra.description
    settings = {
      TENANT_ID: tenantId,
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
      INSTANCE: instance,
      GRAPH_URL: graphUrl,
      REDIRECT_URI: redirectUri,
      SESSION_KEYS: createSessionKey(new Date()),
      ALLOWED_DOMAINS: 'example.com',
      DATABASE_URL: await postgres.createDatabase('people'),
      PORT: String(port),
      NODE_EXTRA_CA_CERTS: join(work, 'ca.pem'),
    }
    const employees = (...args: string[]) =>
      promisify(execFile)(node, ['server.js', 'employees', ...args], { cwd: work, env: settings })
    await employees('migrate')
    await employees('add', 'ada', '--id', '7')
  })
  beforeEach(() => {
    tunnelled.length = 0
  })
  afterAll(async () => {
    setDefaultCACertificates(trusted)
    proxy.close()
    proxy.closeAllConnections()
    await entra?.close()
    await postgres?.close()
    if (work) await rm(work, { recursive: true })
  })

  /** Signs in at a server with these variables. Returns what the callback answers. */
  async function signIn(proxyEnv: Readonly<Record<string, string>>) {
    const server = spawn(node, ['server.js'], {
      cwd: work,
      env: { ...settings, ...proxyEnv },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exit = once(server, 'exit')
    try {
      for await (const chunk of server.stdout.setEncoding('utf8')) {
        if (!chunk.includes('Listening on')) continue
        const answer = await new Visitor(`http://localhost:${settings['PORT']}`).signIn(account)
        return { status: answer.status, body: answer.body }
      }
    } finally {
      server.kill('SIGTERM')
      await exit
    }
    throw new Error('The server did not start.')
  }
  const signedIn = { status: 200, body: { user: { username: 'ada', resourceId: '7', isAdmin: false } } }
  const hosts = () => [settings['INSTANCE'], settings['GRAPH_URL']].map(url => new URL(url ?? '').host)

  it.each(['HTTPS_PROXY', 'https_proxy'])('signs in through the proxy of %s', async name => {
    expect(await signIn({ [name]: proxyUrl })).toEqual(signedIn)
    expect(tunnelled).toEqual(hosts())
  })

  it('signs in past the proxy if NO_PROXY lists the host', async () => {
    expect(await signIn({ HTTPS_PROXY: proxyUrl, no_proxy: 'localhost' })).toEqual(signedIn)
    expect(tunnelled).toEqual([])
  })
})
