import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SandboxDescription, startSandbox } from '../../sandbox/sandbox.ts'
import { root } from '../../tools/bundle.ts'
import { bundleClock, bundlePush, bundlePushWorker } from '../../tools/push.ts'
import { wrangler } from '../../tools/wrangler.ts'
import { Newcomer } from '../support/newcomer.ts'
import { askCloudflare } from '../support/services.ts'
import { blocksIn, blockWith, leftOut } from './page.ts'
import { Terminal } from './terminal.ts'
import { cloneThisCheckout } from './upstream.ts'

const page = 'docs/router.md'
const host = 'push.example.com'

/** What a deployment would send is checked without an account, and secrets go to files, each of one line if nothing is piped. */
const npx = (program: string) => `case "$2 $3" in
'deploy '*) shift 2 && exec node '${program}' deploy --dry-run "$@" ;;
'secret put') if [ "$4" = HOSTS ]; then cat; else IFS= read -r text; printf %s "$text"; fi > "secret.$4" ;;
*) exit 1 ;;
esac`

/** Uploads the Worker with its secrets, as the dashboard does. */
async function deploy({ cloudflare }: SandboxDescription, secrets: Readonly<Record<string, string>>) {
  const texts = Object.entries(secrets).map(([name, text]) => ({ name, type: 'secret_text', text }))
  const bindings = [...texts, { name: 'BASE_URL', type: 'plain_text', text: cloudflare.baseUrl }]
  const metadata = { main_module: 'push-worker.js', compatibility_date: '2026-07-01', bindings }
  const form = new FormData()
  form.append('metadata', JSON.stringify(metadata))
  const code = await readFile(join(root, 'build/push-worker.js'))
  form.append('push-worker.js', new Blob([code], { type: 'application/javascript+module' }), 'push-worker.js')
  await askCloudflare(
    cloudflare,
    'PUT',
    `/accounts/${cloudflare.accountId}/workers/scripts/homeport-push`,
    form,
  )
}

describe('docs/router.md, with wrangler', () => {
  let sandbox: Awaited<ReturnType<typeof startSandbox>>
  let at: SandboxDescription
  let terminal: Terminal
  let newcomer: Newcomer
  /** The password that the page's first command printed. */
  let password = 'PASSWORD'

  beforeAll(async () => {
    sandbox = await startSandbox()
    at = sandbox.description
    newcomer = await Newcomer.arrive(sandbox)
    const ports = `'::${at.https.host}:${at.https.port}'`
    terminal = await Terminal.open({
      programs: {
        // What the page builds is built below.
        npm: `mkdir -p build && cp '${join(root, 'build')}'/*.js build`,
        npx: npx(await wrangler()),
        // The host of the endpoint is in no public DNS.
        curl: `exec "$(PATH="\${PATH#*:}" command -v curl)" --silent --show-error --cacert "$HOME/ca.pem" --connect-to ${ports} "$@"`,
      },
      env: {
        WRANGLER_SEND_METRICS: 'false',
        CI: '1',
        BASE_URL: at.cloudflare.baseUrl,
        GIT_CONFIG_GLOBAL: await cloneThisCheckout(),
      },
      fill: text =>
        newcomer
          .filled(text)
          .replace('homeport-push.ACCOUNT.workers.dev', host)
          .replace('homeport:PASSWORD', `homeport:${password}`),
    })
    const { folder } = terminal
    await bundlePush(join(root, 'build/push.js'))
    await Promise.all([bundlePushWorker(), bundleClock()])
    await terminal.enter(blockWith(page, 'docs/push/wrangler.toml'))
    const file = join(folder, 'homeport-push/wrangler.toml')
    const template = await readFile(file, 'utf8')
    await writeFile(file, template.replace('[vars]', `[vars]\nBASE_URL = "${at.cloudflare.baseUrl}"`))
    await writeFile(join(folder, 'ca.pem'), at.ca)
  })
  afterAll(() => sandbox?.close())

  const enter = (part: string, stdin?: string) => terminal.enter(blockWith(page, part), stdin)
  const passwordIn = (output: string) => /^Password, shown only now: (\S+)$/m.exec(output)?.[1] ?? ''

  it('leads somebody with a router from the README to a record that is kept', async () => {
    const { accountId, zoneId } = at.cloudflare
    const readme = await readFile(join(root, 'README.md'), 'utf8')
    expect(readme).toMatch(/^### From a router\n\n[^#]*\(docs\/router\.md\)/m)
    await enter('cat > secrets/api-token', `${newcomer.token}\n`)
    expect(await enter('wrangler deploy')).toContain('Total Upload')
    const added = await enter('push.js add home.example.com --hosts hosts.txt --url')
    await enter('secret put API_TOKEN', `${zoneId}\n`)
    const publish = async () => {
      const names = ['API_TOKEN', 'ZONE_ID', 'HOSTS']
      const texts = names.map(name => readFile(join(terminal.folder, `homeport-push/secret.${name}`), 'utf8'))
      const values = await Promise.all(texts)
      await deploy(at, Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])))
    }
    await publish()
    // Nothing answers at workers.dev in the sandbox.
    const domain = { hostname: host, service: 'homeport-push', zone_id: zoneId }
    await askCloudflare(at.cloudflare, 'PUT', `/accounts/${accountId}/workers/domains`, domain)

    expect(await enter('push.js check')).toContain(`ok     ${newcomer.hostname} has the A record`)
    password = passwordIn(added)
    // The sandbox is reached from this machine, so the address has to be added, as the page says.
    expect(await enter('curl --user')).toMatch(/^dnserr /)
    // What a router is given: the line that `push add` printed.
    const [line = 'exit 1'] = /curl --user .*/.exec(added) ?? []
    const ping = (address: string, given = password) =>
      terminal.must(line.replace(password, given).replace(/'$/, `&myip=${address}'`))
    expect(await ping('8.8.8.8')).toBe('good 8.8.8.8\n')
    expect(await newcomer.addresses()).toEqual(['8.8.8.8'])
    expect(await ping('8.8.8.8')).toBe('nochg 8.8.8.8\n')
    expect(await ping('8.8.4.4')).toBe('good 8.8.4.4\n')
    expect(await newcomer.addresses()).toEqual(['8.8.4.4'])

    const next = passwordIn(await enter('push.js add home.example.com --hosts hosts.txt\n'))
    await publish()
    for (const given of [password, next]) expect(await ping('8.8.4.4', given)).toBe('nochg 8.8.4.4\n')
    await enter('remove home.example.com --old')
    await publish()
    expect([await ping('8.8.4.4'), await ping('8.8.4.4', next)]).toEqual(['badauth\n', 'nochg 8.8.4.4\n'])

    const several = passwordIn(await enter('--suffix'))
    await publish()
    expect(await ping('8.8.4.4', several)).toBe('nochg 8.8.4.4\n')
    const hosts = await readFile(join(terminal.folder, 'homeport-push/hosts.txt'), 'utf8')
    expect(hosts).toMatch(/^nas\.example\.com AAAA=::211:32ff:fe12:3456\/64 sha256:/m)
  })

  it('has the clock of docs/github-actions.md in a file that wrangler takes', async () => {
    const { folder } = terminal
    await copyFile(join(root, 'docs/push/clock.toml'), join(folder, 'homeport-push/clock.toml'))
    await copyFile(
      join(folder, 'homeport/build/clock-worker.js'),
      join(folder, 'homeport-push/clock-worker.js'),
    )
    const [save, deploy] = blocksIn('docs/github-actions.md', '## A clock')
    await terminal.must(save?.text ?? '', 'unused\n')
    expect(await terminal.must(deploy?.text ?? '')).toContain('env.WORKFLOW')
  })

  it('has no command that was not run', () => {
    for (const each of [page, 'docs/router-reference.md']) expect(leftOut(each)).toEqual([])
  })
})
