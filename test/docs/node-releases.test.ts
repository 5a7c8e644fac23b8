import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Entra } from '../../sandbox/testing/entra.ts'
import { freshBundle } from '../../tools/bundle.ts'
import { freePort } from '../../tools/free-port.ts'
import { type Postgres, startPostgres } from '../../tools/postgres.ts'
import { minNode } from '../../tools/server.ts'
import { startHandler } from '../support/handler.ts'
import { handlerSettings } from '../support/handler-settings.ts'
import { startTunnel } from '../support/listen.ts'
import { nodeRelease } from '../support/node-release.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { Visitor } from '../support/visitor.ts'

/** The oldest releases that the server accepts, and one of the next line. */
const releases = [...Object.entries(minNode).map(([major, minor]) => `${major}.${minor}.0`), '26.10.0']
const account = 'ada@example.com'

describe.each(releases)('the bundled server and command on Node.js %s', version => {
  let node: string
  let postgres: Postgres
  let entra: Entra
  let proxy: Awaited<ReturnType<typeof startTunnel>>
  let settings: Readonly<Record<string, string>>
  const trusted = getCACertificates('default')

  beforeAll(async () => {
    node = await nodeRelease(version)
    proxy = await startTunnel()
    postgres = await startPostgres('postgres')
    const port = await freePort()
    const redirectUri = `http://localhost:${port}/auth/callback`
    entra = await Entra.start({ redirectUris: [redirectUri], secure: true })
    entra.setUsers([
      { id: crypto.randomUUID(), userPrincipalName: account, mail: account, displayName: 'Ada' },
    ])
    const { ca } = entra.sandbox.description
    const authority = join(temporaryFolder(), 'ca.pem')
    await writeFile(authority, ca)
    setDefaultCACertificates([...trusted, ca])
    settings = {
      ...handlerSettings(entra.description, redirectUri),
      DATABASE_URL: await postgres.createDatabase('people'),
      PORT: String(port),
      NODE_EXTRA_CA_CERTS: authority,
    }
    const employees = (...args: string[]) =>
      promisify(execFile)(node, [freshBundle('server'), 'employees', ...args], { env: settings })
    await employees('migrate')
    await employees('add', 'ada', '--id', '7')
  })
  beforeEach(() => {
    proxy.asked.length = 0
  })
  afterAll(async () => {
    setDefaultCACertificates(trusted)
    proxy?.close()
    await entra?.close()
    await postgres?.close()
  })

  /** Signs in at a server with these variables. Returns what the callback answers. */
  async function signIn(proxyEnv: Readonly<Record<string, string>>) {
    const server = await startHandler({ node, env: { ...settings, ...proxyEnv } })
    const { status, body } = await new Visitor(`http://localhost:${settings['PORT']}`).signIn(account)
    await server.stop()
    return { status, body }
  }
  const signedIn = { status: 200, body: { user: { username: 'ada', resourceId: '7', isAdmin: false } } }
  const hosts = () => [settings['INSTANCE'], settings['GRAPH_URL']].map(url => new URL(url ?? '').host)

  it.each(['HTTPS_PROXY', 'https_proxy'])('signs in through the proxy of %s', async name => {
    expect(await signIn({ [name]: proxy.url })).toEqual(signedIn)
    expect(proxy.asked).toEqual(hosts().map(host => `${host} undefined`))
  })

  it('starts the command', async () => {
    const { stdout } = await promisify(execFile)(node, [freshBundle('action'), '--help'])
    expect(stdout).toContain('--hostname')
  })

  it('signs in past the proxy if NO_PROXY lists the host', async () => {
    expect(await signIn({ HTTPS_PROXY: proxy.url, no_proxy: 'localhost' })).toEqual(signedIn)
    expect(proxy.asked).toEqual([])
  })
})
