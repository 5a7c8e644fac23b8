import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SandboxDescription, startSandbox } from '../../sandbox/sandbox.ts'
import { root } from '../../tools/bundle.ts'
import { bundlePush, bundlePushWorker } from '../../tools/push.ts'
import { wrangler } from '../../tools/wrangler.ts'
import { askCloudflare } from '../support/services.ts'
import { leftOut, shellBlocksOf } from './page.ts'
import { Terminal } from './terminal.ts'

const page = 'docs/push.md'
const host = 'push.example.com'

describe('docs/push.md, with wrangler', () => {
  let sandbox: Awaited<ReturnType<typeof startSandbox>>
  let at: SandboxDescription
  let terminal: Terminal
  const ran = new Set<string>()

  beforeAll(async () => {
    sandbox = await startSandbox()
    at = sandbox.description
    const { apiUrl, accountId, adminToken, baseUrl } = at.cloudflare
    await askCloudflare(at.cloudflare, 'PUT', `/accounts/${accountId}/workers/subdomain`, {
      subdomain: 'home',
    })
    const program = await wrangler()
    terminal = await Terminal.open(
      {},
      new Map(),
      { npx: `exec node '${program}' "\${@:2}"` },
      {
        PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
        CLOUDFLARE_API_BASE_URL: apiUrl,
        CLOUDFLARE_API_TOKEN: adminToken,
        CLOUDFLARE_ACCOUNT_ID: accountId,
        WRANGLER_SEND_METRICS: 'false',
        CI: '1',
      },
    )
    const { folder } = terminal
    await bundlePush(join(root, 'build/push.js'))
    await bundlePushWorker()
    for (const name of ['push.js', 'push-worker.js'])
      await copyFile(join(root, 'build', name), join(folder, name))
    await writeFile(join(folder, 'token.txt'), at.cloudflare.dnsToken, { mode: 0o600 })
    const template = await readFile(join(root, 'docs/push/wrangler.toml'), 'utf8')
    await writeFile(
      join(folder, 'wrangler.toml'),
      template.replace('[vars]', `[vars]\nBASE_URL = "${baseUrl}"`),
    )
  })
  afterAll(async () => {
    await terminal?.close()
    await sandbox?.close()
  })

  /** Runs the block of the page with a text, of several the one at an index. Returns what it printed. */
  async function run(part: string, index = 0, change = (script: string) => script): Promise<string> {
    const block = shellBlocksOf(page).filter(({ text }) => text.includes(part))[index]
    if (block === undefined) throw new Error(`${page} has no block with ${part}.`)
    ran.add(block.text)
    const ended = await terminal.run(change(block.text))
    expect(ended, ended.output).toMatchObject({ status: 0 })
    return ended.output
  }

  const passwordIn = (output: string) => /^Password, shown only now: (\S+)$/m.exec(output)?.[1] ?? ''

  /** Sends a ping with an address over TLS, as a router does. Returns status and body. */
  async function ping(password: string, address: string): Promise<string> {
    const sent = request({
      host: at.https.host,
      port: at.https.port,
      servername: host,
      ca: at.ca,
      headers: { host, authorization: `Basic ${btoa(`homeport:${password}`)}` },
      path: `/nic/update?hostname=home.example.com&myip=${address}`,
    })
    sent.end()
    const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) =>
      sent.once('response', resolve).once('error', reject),
    )
    return `${response.statusCode} ${await text(response)}`
  }

  it('leads to the first `good`, and to another password without a gap', async () => {
    const { accountId, zoneId, dnsToken } = at.cloudflare
    const first = passwordIn(await run('push.js add home.example.com --hosts hosts.txt', 0))
    await run('wrangler deploy', 0, script =>
      script
        .replace('put API_TOKEN', `put API_TOKEN <<< '${dnsToken}'`)
        .replace('put ZONE_ID', `put ZONE_ID <<< '${zoneId}'`),
    )
    const scripts = `/accounts/${accountId}/workers/scripts/homeport-push`
    const { bindings } = await askCloudflare<{ bindings: readonly { name: string; type: string }[] }>(
      at.cloudflare,
      'GET',
      `${scripts}/settings`,
    )
    const secrets = bindings.filter(({ type }) => type === 'secret_text').map(({ name }) => name)
    expect(secrets.toSorted()).toEqual(['API_TOKEN', 'HOSTS', 'ZONE_ID'])
    const domain = { hostname: host, service: 'homeport-push', zone_id: zoneId }
    await askCloudflare(at.cloudflare, 'PUT', `/accounts/${accountId}/workers/domains`, domain)

    const checked = await run('push.js check', 0, script =>
      script.replace(/[0-9a-f]{32}/, `${zoneId} BASE_URL=${at.cloudflare.baseUrl}`),
    )
    expect(checked).toContain('ok     home.example.com has the A record')
    expect(await ping(first, '8.8.8.8')).toBe('200 good 8.8.8.8\n')
    expect(await ping(first, '8.8.8.8')).toBe('200 nochg 8.8.8.8\n')

    const second = passwordIn(await run('push.js add home.example.com --hosts hosts.txt', 1))
    for (const password of [first, second])
      expect(await ping(password, '8.8.8.8')).toBe('200 nochg 8.8.8.8\n')
    await run('remove home.example.com --old')
    expect(await ping(first, '8.8.4.4')).toBe('401 badauth\n')
    expect(await ping(second, '8.8.4.4')).toBe('200 good 8.8.4.4\n')
  })

  it('has no command that was not run', () => {
    expect(leftOut('docs/push.md', ran)).toEqual([])
  })
})
