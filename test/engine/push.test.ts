import { expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { shellBlocksOf } from '../docs/page.ts'
import { deployed } from '../support/engine/deployed.ts'
import { hostname, policies, pushHost } from '../support/engine/stack.ts'
import { askCloudflare } from '../support/services.ts'

const { stage, stack } = await deployed()
const { services } = stage
const { https } = services.sandbox.description

let password = ''
const send = (address: string) =>
  services.ping(`https://${pushHost}`, password, `hostname=${hostname}&myip=${address}`)

it('a stack gets the endpoint with the commands of its page, and the policies hold', async () => {
  const [block] = shellBlocksOf('docs/router.md').filter(({ text }) => text.includes('push worker'))
  const script = `
    export PULUMI_SKIP_CONFIRMATIONS=true
    npm() { if [ "$1" = run ] && [ "$2" = push ]; then shift 3; node '${root}/push/cli.ts' "$@"; fi; }
    curl() { command curl --silent --connect-to '::${https.host}:${https.port}' "$@"; }
    ${block?.text.replaceAll('home.example.com', hostname)}
    pulumi config get pushHosts | cmp - hosts.txt
    if grep "$(cut -d: -f2 hosts.txt)" Pulumi.dev.yaml; then exit 1; fi`
  const followed = await stage.project.run('bash', ['-euc', script])
  password = /^Password, shown only now: (\S+)$/m.exec(followed.output)?.[1] ?? ''
  expect(followed.status, followed.output).toBe(0)
  expect(await stack.output('pushUrl')).toBe(`https://${pushHost}`)
  expect(await send('8.8.8.8')).toBe('200 good 8.8.8.8\n')
})

it('its token is replaced before the old one is deleted', async () => {
  await stack.configure({ tokenRotation: 'second' })
  services.sandbox.control.clearJournal()
  await stack.up()
  const writes = await services.writes()
  expect(writes.filter(write => write.startsWith('DELETE'))).toEqual(Array(2).fill('DELETE /tokens/*'))
  const [update, deletion] = ['PUT /workers/scripts/homeport-dev-push', 'DELETE /tokens/*']
  expect(writes.indexOf(update)).toBeGreaterThan(writes.indexOf('POST /tokens'))
  expect(writes.indexOf(update)).toBeLessThan(writes.indexOf(deletion))
  expect(await send('8.8.4.4')).toBe('200 good 8.8.4.4\n')
  expect((await stack.drift()).output).toContain('No drift')
})

it('starts a workflow every five minutes with a clock', async () => {
  await stack.configure({ clock: 'you/dns/dns.yml' })
  await stack.configureSecrets({ clockToken: 'github_pat_11AAAAAAA0_b' })
  services.sandbox.control.clearJournal()
  await stack.up(...policies)
  expect(await services.writes()).toEqual([
    'PUT /workers/scripts/homeport-dev-push',
    'PUT /workers/scripts/homeport-dev-push/schedules',
  ])
  expect((await stack.drift()).output).toContain('No drift')
})

const schedulesPath = '/workers/scripts/homeport-dev-push/schedules'
const scripts = () => `/accounts/${services.at.accountId}/workers/scripts`
/** Returns what fires the endpoint's Worker. */
async function crons() {
  const { schedules } = (await askCloudflare(
    services.at,
    'GET',
    `${scripts()}/homeport-dev-push/schedules`,
  )) as { readonly schedules: readonly { readonly cron: string }[] }
  return schedules.map(({ cron }) => cron)
}

/** Expects one `up` to restore the trigger, and a second one to write nothing. */
async function bringBack() {
  await stack.up(...policies)
  expect(await crons()).toHaveLength(1)
  expect((await stack.drift()).output).toContain('No drift')
  services.sandbox.control.clearJournal()
  await stack.up()
  expect(await services.writes()).toEqual([])
}

it('a clock whose trigger somebody emptied is named, and brought back as drift says', async () => {
  await askCloudflare(services.at, 'PUT', `${scripts()}/homeport-dev-push/schedules`, [])
  const seen = await stack.run(['preview', '--run-program', '--refresh', '--expect-no-changes'])
  expect(seen.status).not.toBe(0)
  const { status, output } = await stack.drift()
  expect(status).toBe(1)
  expect(output).toMatch(/has cron triggers = .* Then run pulumi up/)
  await bringBack()
})

it('a clock comes back with a Worker that somebody removed', async () => {
  await askCloudflare(services.at, 'DELETE', `${scripts()}/homeport-dev-push`)
  await bringBack()
})

it('a clock that is removed fires no more', async () => {
  await stack.configure({ clock: undefined, clockToken: undefined })
  services.sandbox.control.clearJournal()
  await stack.up(...policies)
  expect(await services.writes()).toContain(`PUT ${schedulesPath}`)
  expect(await crons()).toEqual([])
  expect((await stack.drift()).output).toContain('No drift')
  await stack.must(['preview', '--run-program', '--refresh', '--expect-no-changes'])
})
