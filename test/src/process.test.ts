import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Entra } from '../../sandbox/testing/entra.ts'
import { atToken, late } from '../../sandbox/testing/entra-faults.ts'
import { readDatabaseUrl } from '../../src/node/postgres/pool.ts'
import { createSessionKey } from '../../src/session/keys.ts'
import { createSession, sessionRules } from '../../src/session/session.ts'
import { root } from '../../tools/bundle.ts'
import { freePort } from '../../tools/free-port.ts'
import { startHandler } from '../support/handler.ts'
import { startRelay } from '../support/relay.ts'
import { enterableFolder, temporaryFolder } from '../support/temporary-folder.ts'
import { createMigratedDatabase, createPostgresDatabase } from './support/databases.ts'
import { pairOf } from './support/in-process.ts'

it.each([
  ['postgresql://people:s3cret@127.0.0.1:99999/people', /^cannot be used \(ERR_INVALID_URL\)/],
  ['postgresql://people:s3cret@localhost/people?sslrootcert=/nowhere', /^cannot be used \(ENOENT\)/],
  ['postgresql://people:s3cret@localhost/people\npostgresql://localhost/x', /^has white space inside/],
  ['mysql://people:s3cret@localhost/people', /^does not start/],
  ['postgresql://people:s3,cret@one:5432,two:5432/people', /^names several hosts\. .* the primary/],
  ['postgresql://people:s3cret@/people?host=one,two', /^names several hosts/],
  ['postgresql://people:s3cret@10.0.0.5/people?connect_timeout=3', /without TLS\. Add \?sslmode=verify-full/],
])('a database URL is refused without repeating its password: %s', (databaseUrl, expected) => {
  const reading = readDatabaseUrl(databaseUrl)
  expect(reading).toEqual({ problems: [expect.stringMatching(expected)] })
  expect(JSON.stringify(reading)).not.toContain('s3cret')
})

it('a database URL can say that a network needs no TLS', () => {
  const value = 'postgresql://people:s3cret@db.invalid/people?sslmode=disable'
  expect(readDatabaseUrl(value)).toEqual({ value })
})

describe('npm start', () => {
  it('lists every wrong setting at once, and exits with the status that its unit does not restart', async () => {
    const folder = enterableFolder()
    const keys = join(folder, 'keys')
    await writeFile(keys, 'k:short')
    await chmod(keys, 0o644)
    const started = startHandler({
      env: {
        TENANT_ID: 'common',
        CLIENT_CERTIFICATE_FILE: keys,
        SCOPES: 'openid',
        PORT: '0x1F90',
        TRUSTED_PROXIES: '10.0.0.0/8 0.0.0.0/1',
        SESSION_KEYS_FILE: keys,
        all_proxy: 'http://127.0.0.1:9',
        DATABASE_URL: 'postgresql://people:s3cret@db.example.com/people',
      },
    })
    const output = await started.then(() => '', String)
    expect(output).toContain('Ended with status 2:')
    const unit = await readFile(join(root, 'docs/sign-in/homeport-sign-in.service'), 'utf8')
    expect(unit).toContain('\nRestartPreventExitStatus=2\n')
    for (const name of [
      ...['TENANT_ID', 'CLIENT_ID', 'CLIENT_CERTIFICATE_FILE', 'REDIRECT_URI', 'SCOPES', 'SESSION_KEYS'],
      ...['ALLOWED_DOMAINS', 'DATABASE_URL', 'PORT', 'TRUSTED_PROXIES', 'all_proxy'],
    ])
      expect(output).toContain(`"message":"${name} `)
    const warnings = output.split('\n').filter(line => line.includes('"level":"warning"'))
    expect(warnings).toEqual([expect.stringMatching(/SESSION_KEYS_FILE .*every user .*chmod 600/)])
    expect(output).not.toContain('s3cret')
  })

  const nowhere = 'http://127.0.0.1:9'
  const settings = (port: number, env: Readonly<Record<string, string>> = {}) => ({
    DATABASE_URL: 'postgresql://people:s3cret@db.invalid/people?sslmode=verify-full',
    TENANT_ID: 'tenant',
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'secret',
    INSTANCE: nowhere,
    GRAPH_URL: nowhere,
    REDIRECT_URI: `http://localhost:${port}/auth/callback`,
    SESSION_KEYS: createSessionKey(new Date()),
    ALLOWED_DOMAINS: 'example.com',
    PORT: String(port),
    ...env,
  })

  it('reads its secrets from files, and finishes open requests after SIGTERM, even if nobody reads its log', async () => {
    const port = await freePort()
    const entra = await Entra.start({ redirectUris: [`http://localhost:${port}/auth/callback`] })
    const { instance: INSTANCE, graphUrl: GRAPH_URL } = entra.description
    const { href } = await createPostgresDatabase()
    const folder = temporaryFolder()
    const env = settings(port, { INSTANCE, GRAPH_URL, DATABASE_URL: href })
    const { DATABASE_URL, CLIENT_SECRET, SESSION_KEYS, ...others } = env
    const files: Record<string, string> = {}
    for (const [name, text] of Object.entries({ DATABASE_URL, CLIENT_SECRET, SESSION_KEYS })) {
      files[`${name}_FILE`] = join(folder, name)
      await writeFile(join(folder, name), `${text}\n`, { mode: 0o600 })
    }
    const handler = await startHandler({ env: { ...others, ...files } })
    expect(handler.output()).toContain('TRUSTED_PROXIES is not set')
    const lacking = /"event":"start".*"store":"employees-missing".*Run `employees check` for details/
    await expect.poll(() => handler.output()).toMatch(lacking)
    const started = await fetch(`http://127.0.0.1:${port}/api/auth/login-url`)
    const cookie = started.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    entra.setFaults([atToken(late(1000))])
    const open = fetch(`http://127.0.0.1:${port}/api/auth/callback?code=x`, { headers: { cookie } })
    await expect.poll(() => entra.requests.some(({ path }) => path.endsWith('/token'))).toBe(true)
    const stopMs = performance.now()
    const stopped = handler.stop()
    await expect.poll(() => handler.output()).toContain('"event":"stop"')
    // The handler still has to log the open request.
    handler.process.stdout?.destroy()
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow()
    expect((await open).headers.has('x-correlation-id')).toBe(true)
    expect(await stopped).toBe(0)
    // Requests that hang have ten seconds, and one that ended keeps no connection.
    expect(performance.now() - stopMs).toBeLessThan(8000)
    await entra.close()
  })

  it('starts without its provider and a remote database, logs no password, and keeps its port', async () => {
    const port = await freePort()
    const env = settings(port, { BASE_PATH: '/in' })
    const handler = await startHandler({ env })
    expect(handler.output()).toMatch(/"warning".*REDIRECT_URI has \S+, which is outside BASE_PATH/)
    const started = await fetch(`http://127.0.0.1:${port}/in/api/auth/login-url`)
    const cookie = started.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const answer = await fetch(`http://127.0.0.1:${port}/in/api/auth/callback?code=x`, {
      headers: { cookie },
    })
    expect(answer.status).toBe(503)
    await expect.poll(() => handler.output()).toContain('"providerError":"ECONNREFUSED"')
    await expect.poll(() => handler.output()).toMatch(/"event":"start".*"store":"\w+"/)
    expect(handler.output()).not.toContain('s3cret')
    const second = startHandler({ env })
    await expect(second).rejects.toThrow(/status 1(.|\n)*Cannot listen on \S+ port \d+: EADDRINUSE/)

    // Of headers that are too long, a proxy can still send the rest.
    const socket = connect(port, '127.0.0.1')
    const line = `X-Long: ${'x'.repeat(70_000)}\r\n`
    socket.write(`GET / HTTP/1.1\r\nHost: localhost:${port}\r\n${line}`)
    const [tooLong] = await once(socket, 'data')
    expect(String(tooLong)).toMatch(/^HTTP\/1\.1 431 /)
    for (let sent = 0; sent < 10; sent++) await new Promise(resolve => socket.write(line, resolve))
    expect(socket.errored).toBeNull()
    socket.destroy()

    // Longer than proxies keep idle connections. A stop ends them at once.
    const agent = new Agent({ keepAlive: true })
    const [response] = await once(request({ port, path: '/in/openapi.json', agent }).end(), 'response')
    expect(response.headers['keep-alive']).toBe('timeout=125')
    await once(response.resume(), 'end')
    const stopMs = performance.now()
    expect(await handler.stop()).toBe(0)
    expect(performance.now() - stopMs).toBeLessThan(8000)
    agent.destroy()
  })

  it('survives a restart of PostgreSQL, and signs nobody out', async () => {
    const ada = "INSERT INTO employees (id, user_name) VALUES ('1', 'ada')"
    const { href } = await createMigratedDatabase(ada)
    let relay = await startRelay(href.replace('postgresql', 'http'))
    const databasePort = new URL(relay.baseUrl).port
    const port = await freePort()
    const env = settings(port, { DATABASE_URL: Object.assign(new URL(href), { port: databasePort }).href })
    const handler = await startHandler({ env })
    const claims = { username: 'ada', resourceId: '1', isAdmin: 0 } as const
    const { setCookie } = await createSession(sessionRules(env.SESSION_KEYS, 3_600_000), claims)
    const ask = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie: pairOf(setCookie) } })
    // At the same time, so that several connections are idle when PostgreSQL stops.
    for (const { status } of await Promise.all([1, 2, 3, 4].map(() => ask('/api/session')))) {
      expect(status).toBe(200)
    }
    await relay.close()
    for (const path of ['/api/session', '/api/auth/forward', '/api/session']) {
      const answer = await ask(path)
      expect(await answer.json()).toMatchObject({ code: 'employees-unavailable', status: 503 })
      expect([answer.headers.get('retry-after'), answer.headers.getSetCookie()]).toEqual(['10', []])
    }
    expect((await ask('/healthz')).status).toBe(503)
    await expect.poll(() => handler.output()).toContain('"store":"ECONNREFUSED"')
    relay = await startRelay(href.replace('postgresql', 'http'), { port: Number(databasePort) })
    const again = await ask('/api/session')
    expect(await again.json()).toEqual({ user: { username: 'ada', resourceId: '1', isAdmin: false } })
    expect(await handler.stop()).toBe(0)
    await relay.close()
  })
})
