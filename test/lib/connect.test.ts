import { execFile } from 'node:child_process'
import { Agent, createServer } from 'node:http'
import { Socket } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { attemptLimitMs, inTurn } from '../../lib/connect.ts'
import { createNodeExchange } from '../../lib/node-exchange.ts'
import { listen } from '../support/listen.ts'
import { timeLimit } from '../support/time-limit.ts'

describe('the addresses of a host', () => {
  it('take turns by family, in the order of the resolver', () => {
    const listed = ['2001:db8::1', '2001:db8::2', '192.0.2.1', '2001:db8::3', '192.0.2.2']
    const addresses = listed.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
    expect(inTurn(addresses).map(({ address }) => address)).toEqual([
      '2001:db8::1',
      '192.0.2.1',
      '2001:db8::2',
      '192.0.2.2',
      '2001:db8::3',
    ])
  })

  it('have three seconds each, or half of what is left, and the last has the rest', () => {
    expect(attemptLimitMs(Number.POSITIVE_INFINITY, false)).toBe(3000)
    expect(attemptLimitMs(10_000, false)).toBe(3000)
    expect(attemptLimitMs(4000, false)).toBe(2000)
    expect(attemptLimitMs(2000, false)).toBe(1000)
    // The request's own limit ends the last attempt.
    expect(attemptLimitMs(2000, true)).toBeGreaterThan(2000)
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
