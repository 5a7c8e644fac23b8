import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { debianProgram, librariesOf } from '../../tools/debian.ts'
import { first, home, hostLine, ipv6, password, second } from '../push/endpoint.ts'
import { shapes } from '../push/shapes.ts'
import { type Started, startNode, startWorker } from '../push/started.ts'
import { settingsFor } from '../push/support.ts'
import { type Stage, startStage } from '../support/stage.ts'

const run = promisify(execFile)

/** Writes the configuration for an address and returns the command. */
type Client = (folder: string, port: number, address: string) => Promise<readonly [string, readonly string[]]>

const ddclient: Client = async (folder, port, address) => {
  const lines = [
    `cache=${folder}/cache`,
    'use=ip',
    `ip=${address}`,
    'protocol=dyndns2',
    'ssl=no',
    `server=127.0.0.1:${port}`,
    'login=homeport',
    `password='${password}'`,
    home,
  ]
  await writeFile(join(folder, 'conf'), `${lines.join('\n')}\n`, { mode: 0o600 })
  const options = ['-file', join(folder, 'conf'), '-daemon=0', '-force', '-noquiet']
  return ['perl', [await debianProgram('ddclient'), ...options]]
}

const inadyn: Client = async (folder, port, address) => {
  const command = join(folder, 'address')
  await writeFile(command, `#!/bin/sh\necho ${address}\n`)
  await chmod(command, 0o700)
  const lines = [
    'allow-ipv6 = false',
    'custom homeport {',
    'username = homeport',
    `password = ${password}`,
    'ssl = false',
    `checkip-command = "${command}"`,
    `ddns-server = 127.0.0.1:${port}`,
    'ddns-path = "/nic/update?hostname=%h&myip=%i"',
    `hostname = ${home}`,
    '}',
  ]
  await writeFile(join(folder, 'conf'), `${lines.join('\n')}\n`, { mode: 0o600 })
  const files = ['-f', join(folder, 'conf'), '--cache-dir', folder, '-P', join(folder, 'pid')]
  return [await debianProgram('inadyn'), ['-1', '-n', '--force', ...files]]
}

describe.each([
  ['on Node', startNode],
  ['on workerd', startWorker],
] as const)('the endpoint for routers %s', (_, start) => {
  let stage: Stage & { close(): Promise<void> }
  let endpoint: Started
  let folder: string
  beforeAll(async () => {
    stage = await startStage()
    const hosts = await hostLine(home)
    endpoint = await start({ ...settingsFor(stage.description), HOSTS: hosts, PLAIN_HTTP: 'true' })
  })
  afterAll(async () => {
    await endpoint.stop()
    await stage.close()
  })
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'homeport-client-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it.each([
    ['ddclient', ddclient, /SUCCESS.*good: IP address set to/],
    ['inadyn', inadyn, /Updating cache for home/],
  ] as const)('is updated by %s, which takes the answer for a success', async (_, client, success) => {
    await stage.setRecords({ content: '1.1.1.1' })
    for (const address of [second, first]) {
      const [program, args] = await client(folder, endpoint.port, address)
      const env = { PATH: process.env['PATH'] ?? '', LD_LIBRARY_PATH: await librariesOf(program) }
      const { stdout, stderr } = await run(program, args, { encoding: 'utf8', env, timeout: 20_000 })
      expect(stdout + stderr).toMatch(success)
      expect((await stage.records())[0]).toMatchObject({ content: address })
    }
    expect(endpoint.output()).not.toContain(password)
  })
})

describe.each([
  ['on Node', startNode],
  ['on workerd', startWorker],
] as const)('the endpoint %s, asked by curl,', (_, start) => {
  let stage: Stage & { close(): Promise<void> }
  let endpoint: Started
  beforeAll(async () => {
    stage = await startStage()
    endpoint = await start({
      ...settingsFor(stage.description),
      HOSTS: await hostLine(home, 'A,AAAA'),
      PLAIN_HTTP: 'true',
      QUERY_PASSWORDS: 'true',
      TRUSTED_PROXIES: '127.0.0.1/32',
    })
  })
  afterAll(async () => {
    await endpoint.stop()
    await stage.close()
  })

  it.each(shapes)('keeps a record as %s sends it', async (_, query, options) => {
    await stage.setRecords({ content: first }, { type: 'AAAA', content: ipv6 })
    const { path = '/nic/update', method = 'GET', from } = options
    const program = await debianProgram('curl')
    const args = [
      ...['--silent', '--show-error', '--include', '--globoff', '--path-as-is', '--request', method],
      ...(options.password === null ? [] : ['--user', `homeport:${password}`]),
      // What stands in front of Node, and Cloudflare in front of a Worker, say of the caller.
      ...(from ? ['--header', `X-Forwarded-For: ${from}`, '--header', `CF-Connecting-IP: ${from}`] : []),
      `http://127.0.0.1:${endpoint.port}${path}?${query}`,
    ]
    const ask = async () => {
      const env = { PATH: process.env['PATH'] ?? '', LD_LIBRARY_PATH: await librariesOf(program) }
      const [head = '', ...body] = (await run(program, args, { env, timeout: 20_000 })).stdout.split(
        '\r\n\r\n',
      )
      return { head, body: body.join() }
    }
    const answer = await ask()
    expect(answer.head).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer.head).toMatch(/^content-length: \d+$/im)
    expect(answer.body).toMatch(new RegExp(`^good ${second}(,${ipv6})?\n$`))
    expect((await ask()).body).toMatch(/^nochg /)
    expect((await stage.records()).map(({ content }) => content)).toEqual([second, ipv6])
    expect(endpoint.output()).not.toContain(password)
  })
})
