import { execFile } from 'node:child_process'
import dns, { type LookupAddress, type LookupAllOptions } from 'node:dns'
import { Agent, createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { type ConnectOptions, createAgents } from '../../lib/agent.ts'
import { pendingLookups } from '../../lib/connect.ts'
import { createNodeExchange } from '../../lib/node-exchange.ts'
import { listen } from '../support/listen.ts'
import { timeLimit } from '../support/time-limit.ts'

describe('the addresses of a host', { concurrent: false }, () => {
  const { lookup } = dns
  /** Resolves each name to these addresses. */
  const resolveTo = (...addresses: readonly string[]) => {
    const found = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
    dns.lookup = ((
      _: string,
      options: LookupAllOptions,
      done: (error: null, found: LookupAddress[]) => void,
    ) => {
      // A hint would change the error of a machine without a network.
      expect(options.hints).toBe(0)
      done(
        null,
        found.filter(({ family }) => !options.family || family === options.family),
      )
    }) as typeof lookup
    syncBuiltinESMExports()
  }
  afterEach(() => {
    dns.lookup = lookup
    syncBuiltinESMExports()
  })

  it.each([undefined, 4] as const)('are tried in turn, also those of one family: %s', async family => {
    const server = createServer((request, response) => response.end(request.socket.remoteAddress))
    const { port } = new URL(await listen(server))
    const send = createNodeExchange()
    const request = {
      method: 'GET',
      headers: {},
      timeoutMs: timeLimit(30_000),
      maxBytes: 99,
      family,
    } as const
    const url = `http://host.test:${port}/`
    resolveTo('::1', '127.0.0.2', '127.0.0.1')
    expect(await send({ ...request, url })).toMatchObject({ status: 200, body: '127.0.0.1' })
    // No machine has a route to it, which says less than the other error.
    resolveTo('224.0.0.1', '127.0.0.2')
    const refused = await send({ ...request, url: url.replace('host', 'other') })
    expect(pendingLookups()).toBe(0)
    expect(refused).toMatchObject({ detail: 'no response (ECONNREFUSED)' })
    server.close()
  })

  it.each([
    [10_000, 3000],
    [4001, 2001],
  ])('of a request with %i ms have %i each', async (timeoutMs, attemptMs) => {
    const given: ConnectOptions[] = []
    const agent = new Agent()
    agent.createConnection = (target, connected) => {
      given.push(target)
      connected?.(new Error('none'), new Socket())
      return undefined
    }
    const request = { url: 'http://host.test', headers: {}, timeoutMs, maxBytes: 9 }
    await createNodeExchange({}, () => agent)({ method: 'GET', ...request })
    expect(given).toMatchObject([{ autoSelectFamilyAttemptTimeout: attemptMs }])
  })
})

it.each([
  ['no name is resolved yet', { code: 'EAI_AGAIN' }, undefined, 'response'],
  ['there is no route yet', { code: 'ENETUNREACH', syscall: 'connect' }, undefined, 'response'],
  ['the one family has no route', { code: 'ENETUNREACH', syscall: 'connect' }, 4, 'failure'],
] as const)('if %s, a request is sent again, unless that helps nobody', async (...row) => {
  const [, error, family, kind] = row
  const server = createServer((_, response) => response.end('ok'))
  const url = await listen(server)
  const agent = new Agent()
  const { createConnection } = agent
  agent.createConnection = (_, connected) => {
    agent.createConnection = createConnection
    connected?.(Object.assign(new Error('none'), error), new Socket())
    return undefined
  }
  const send = createNodeExchange({}, () => agent)
  const request = { url, headers: {}, family, timeoutMs: timeLimit(30_000), maxBytes: 9 }
  expect(await send({ method: 'GET', ...request })).toMatchObject({ kind })
  server.close()
})

it('a request whose last attempt ran out of time unconnected was not sent either, with the error of the system', async () => {
  const agent = new Agent()
  let attempts = 0
  agent.createConnection = (_, connected) => {
    // The second name is never resolved.
    const error = Object.assign(new Error('none'), { code: 'EAI_AGAIN' })
    if (++attempts === 1) connected?.(error, new Socket())
    return undefined
  }
  const request = { url: 'http://host.test', headers: {}, timeoutMs: 900, maxBytes: 9 }
  const outcome = await createNodeExchange({}, () => agent)({ method: 'GET', ...request })
  expect(outcome).toMatchObject({ cause: 'unsent', detail: 'no response (EAI_AGAIN)' })
})

it('importing what connects changes no setting of Node, and a proxy’s addresses get three seconds each', async () => {
  const code = `import { getDefaultAutoSelectFamilyAttemptTimeout as limit } from 'node:net'
    const before = limit()
    for (const file of ['agent', 'connect', 'node-exchange']) await import(\`./lib/\${file}.ts\`)
    const isKept = limit() === before
    const { createAgents } = await import('./lib/agent.ts')
    createAgents({}, { HTTPS_PROXY: 'http://proxy.example' })
    process.stdout.write(\`\${isKept} \${limit()}\`)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code])
  expect(stdout).toBe('true 3000')
})

it('the malformed URL of a proxy is no error before a request, because settings say what is wrong with it', () => {
  expect(() => createAgents({}, { HTTPS_PROXY: 'http://user:50%@proxy.example' })).not.toThrow()
})
