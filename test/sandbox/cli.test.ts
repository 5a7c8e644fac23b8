import { expect, it } from 'vitest'
import { startNode } from '../support/command.ts'

/** Starts `npm run sandbox -- …`. */
const start = (...args: string[]) => startNode(['sandbox/cli.ts', ...args], {})

it('prints one line of JSON with working addresses, and serves until it is ended', async () => {
  const { process, printed, ended } = start('--json', '--seed', '9')
  const [line = ''] = await printed(/.*\n/)
  const { cloudflare, nameServer, nameServers, echo, entra, ...rest } = JSON.parse(line)
  expect(Object.keys(rest).toSorted()).toEqual(['ca', 'doh', 'https'])
  expect(Object.keys(entra)).toEqual(
    expect.arrayContaining(
      'instance graphUrl metadataHost tenantId clientId clientSecret redirectUri users'.split(' '),
    ),
  )
  expect(entra.redirectUri).toBe('http://localhost:8080/auth/callback')
  expect(Object.keys(cloudflare)).toEqual(
    'baseUrl apiUrl httpsUrl accountId zoneId zoneName adminToken dnsToken'.split(' '),
  )
  expect(nameServers).toEqual([nameServer, { host: '127.0.0.1', port: expect.any(Number) }])
  expect(cloudflare.apiUrl).toBe(`${cloudflare.baseUrl}/client/v4`)
  expect(nameServer).toEqual({ host: '127.0.0.1', port: expect.any(Number) })
  expect(echo).toHaveLength(3)
  expect((await fetch(echo[0])).status).toBe(200)
  process.kill('SIGTERM')
  expect(await ended).toMatchObject({ status: 0, stdout: line, stderr: '' })
})

it('explains itself, and refuses a seed that is no number', async () => {
  expect(await start('--help').ended).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('--seed N'),
  })
  expect(await start('--seed', '-1').ended).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--seed'),
  })
})
