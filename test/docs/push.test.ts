import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SandboxDescription, startSandbox } from '../../sandbox/sandbox.ts'
import { root } from '../../tools/bundle.ts'
import { bundlePush, bundlePushWorker } from '../../tools/push.ts'
import { wrangler } from '../../tools/wrangler.ts'
import { Newcomer } from '../support/newcomer.ts'
import { askCloudflare } from '../support/services.ts'
import { leftOut, shellBlocksOf } from './page.ts'
import { Terminal } from './terminal.ts'

const page = 'docs/router.md'
const host = 'push.example.com'

/** What a deployment would send is checked without an account, and secrets go to files, each of one line if nothing is piped. */
const npx = (program: string) => `case "$2 $3" in
'deploy ') exec node '${program}' deploy --dry-run ;;
'secret put') if [ "$4" = HOSTS ]; then cat; else IFS= read -r text; printf %s "$text"; fi > "secret.$4" ;;
*) exit 1 ;;
esac`

/** Uploads the Worker with its secrets, as the dashboard does. */
async function deploy({ cloudflare }: SandboxDescription, secrets: Readonly<Record<string, string>>) {
  const { apiUrl, accountId, adminToken, baseUrl } = cloudflare
  const texts = Object.entries(secrets).map(([name, text]) => ({ name, type: 'secret_text', text }))
  const bindings = [...texts, { name: 'BASE_URL', type: 'plain_text', text: baseUrl }]
  const metadata = { main_module: 'push-worker.js', compatibility_date: '2026-07-01', bindings }
  const form = new FormData()
  form.append('metadata', JSON.stringify(metadata))
  const code = await readFile(join(root, 'build/push-worker.js'))
  form.append('push-worker.js', new Blob([code], { type: 'application/javascript+module' }), 'push-worker.js')
  const headers = { authorization: `Bearer ${adminToken}` }
  const url = `${apiUrl}/accounts/${accountId}/workers/scripts/homeport-push`
  const uploaded = await fetch(url, { method: 'PUT', headers, body: form })
  expect(uploaded.status, await uploaded.text()).toBe(200)
}

describe('docs/router.md, with wrangler', () => {
  let sandbox: Awaited<ReturnType<typeof startSandbox>>
  let at: SandboxDescription
  let terminal: Terminal
  let newcomer: Newcomer
  const ran = new Set<string>()

  beforeAll(async () => {
    sandbox = await startSandbox()
    at = sandbox.description
    const { baseUrl } = at.cloudflare
    const program = await wrangler()
    newcomer = await Newcomer.arrive(at)
    const ports = `'::${at.https.host}:${at.https.port}'`
    terminal = await Terminal.open(
      {},
      new Map(),
      {
        npx: npx(program),
        // The host of the endpoint is in no public DNS.
        curl: `exec "$(PATH="\${PATH#*:}" command -v curl)" --silent --show-error --cacert "$HOME/ca.pem" --connect-to ${ports} "$@"`,
      },
      {
        PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
        WRANGLER_SEND_METRICS: 'false',
        CI: '1',
      },
    )
    const { folder } = terminal
    await bundlePush(join(root, 'build/push.js'))
    await bundlePushWorker()
    for (const name of ['push.js', 'push-worker.js'])
      await copyFile(join(root, 'build', name), join(folder, name))
    const template = await readFile(join(root, 'docs/push/wrangler.toml'), 'utf8')
    await writeFile(
      join(folder, 'wrangler.toml'),
      template.replace('[vars]', `[vars]\nBASE_URL = "${baseUrl}"`),
    )
    await writeFile(join(folder, 'ca.pem'), at.ca)
  })
  afterAll(async () => {
    await terminal?.close()
    await sandbox?.close()
  })

  /** Runs the block of the page with a text, of several the one at an index. Returns what it printed. */
  async function run(
    part: string,
    { index = 0, change = (script: string) => script, stdin = '' } = {},
  ): Promise<string> {
    const block = shellBlocksOf(page).filter(({ text }) => text.includes(part))[index]
    if (block === undefined) throw new Error(`${page} has no block with ${part}.`)
    ran.add(block.text)
    const ended = await terminal.run(change(newcomer.filled(block.text)), stdin)
    expect(ended, ended.output).toMatchObject({ status: 0 })
    return ended.output
  }

  const passwordIn = (output: string) => /^Password, shown only now: (\S+)$/m.exec(output)?.[1] ?? ''

  it('leads somebody with a router from the README to a record that is kept', async () => {
    const { accountId, zoneId } = at.cloudflare
    const readme = await readFile(join(root, 'README.md'), 'utf8')
    expect(readme).toMatch(/^### From a router\n\n[^#]*\(docs\/router\.md\)/m)
    await run('cat > token.txt', { stdin: `${newcomer.token}\n` })
    expect(await run('wrangler deploy')).toContain('Total Upload')
    const atEndpoint = (script: string) => script.replace('homeport-push.ACCOUNT.workers.dev', host)
    const added = await run('push.js add home.example.com --hosts hosts.txt', { change: atEndpoint })
    await run('secret put API_TOKEN', { stdin: `${newcomer.token}\n${zoneId}\n` })
    const publish = async () => {
      const names = ['API_TOKEN', 'ZONE_ID', 'HOSTS']
      const texts = names.map(name => readFile(join(terminal.folder, `secret.${name}`), 'utf8'))
      const values = await Promise.all(texts)
      await deploy(at, Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])))
    }
    await publish()
    // Nothing answers at workers.dev in the sandbox.
    const domain = { hostname: host, service: 'homeport-push', zone_id: zoneId }
    await askCloudflare(at.cloudflare, 'PUT', `/accounts/${accountId}/workers/domains`, domain)

    const checked = await run('push.js check', {
      change: script => `export BASE_URL=${at.cloudflare.baseUrl}\n${script}`,
    })
    expect(checked).toContain(`ok     ${newcomer.hostname} has the A record`)
    const withPassword = (script: string) => script.replace('PASSWORD', passwordIn(added))
    const first = await run('curl --user', { change: script => withPassword(atEndpoint(script)) })
    // The sandbox is reached from this machine, so the address has to be added, as the page says.
    expect(first).toMatch(/^dnserr /)
    // What a router is given: the line that `push add` printed.
    const [line = 'exit 1'] = /curl --user .*/.exec(added) ?? []
    const ping = (address: string) => terminal.run(line.replace(/'$/, `&myip=${address}'`))
    expect(await ping('8.8.8.8')).toEqual({ status: 0, output: 'good 8.8.8.8\n' })
    expect(await newcomer.addresses()).toEqual(['8.8.8.8'])
    expect(await ping('8.8.8.8')).toEqual({ status: 0, output: 'nochg 8.8.8.8\n' })
    expect(await ping('8.8.4.4')).toEqual({ status: 0, output: 'good 8.8.4.4\n' })
    expect(await newcomer.addresses()).toEqual(['8.8.4.4'])

    const old = passwordIn(added)
    const next = passwordIn(await run('push.js add home.example.com --hosts hosts.txt', { index: 1 }))
    await publish()
    const answerTo = async (password: string) => {
      const script = line.replace(old, password).replace(/'$/, "&myip=8.8.4.4'")
      return (await terminal.run(script)).output
    }
    for (const password of [old, next]) expect(await answerTo(password)).toBe('nochg 8.8.4.4\n')
    await run('remove home.example.com --old')
    await publish()
    expect([await answerTo(old), await answerTo(next)]).toEqual(['badauth\n', 'nochg 8.8.4.4\n'])
  })

  it('has the clock of docs/keep-a-hostname.md in a file that wrangler takes', async () => {
    const file = join(terminal.folder, 'wrangler.toml')
    const template = await readFile(file, 'utf8')
    // Otherwise the log of the Worker has the query of each request.
    expect(template).toMatch(/^invocation_logs = false$/m)
    await writeFile(file, template.replace(/^# (WORKFLOW = |\[triggers\]|crons = )/gm, '$1'))
    const [block] = shellBlocksOf('docs/keep-a-hostname.md').filter(({ text }) =>
      text.includes('WORKFLOW_TOKEN'),
    )
    const ended = await terminal.run(block?.text ?? '', 'unused\n')
    expect(ended, ended.output).toMatchObject({ status: 0 })
    expect(ended.output).toContain('env.WORKFLOW')
  })

  it('has no command that was not run', () => {
    expect(leftOut('docs/router.md', ran)).toEqual([])
  })
})
