import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { shellBlocksOf } from '../docs/page.ts'
import { deployed } from '../support/engine/deployed.ts'
import { hostname, policies, pushHost } from '../support/engine/stack.ts'
import { askCloudflare } from '../support/services.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

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
  await stack.up(...policies)
  const writes = await services.writes()
  expect(writes.filter(write => write.startsWith('DELETE'))).toEqual(Array(2).fill('DELETE /tokens/*'))
  const update = 'PUT /workers/scripts/homeport-dev-push'
  const deletion = 'DELETE /tokens/*'
  expect(writes.indexOf(update)).toBeGreaterThan(writes.indexOf('POST /tokens'))
  expect(writes.indexOf(update)).toBeLessThan(writes.indexOf(deletion))
  expect(await send('8.8.4.4')).toBe('200 good 8.8.4.4\n')
  expect((await stack.drift()).output).toContain('No drift')
})

const clock = 'homeport-dev-clock'
const pathOf = (script: string) => `/workers/scripts/${script}`

/** Returns what fires a Worker. */
async function cronsOf(script: string): Promise<readonly string[]> {
  const path = `/accounts/${services.at.accountId}${pathOf(script)}/schedules`
  const { schedules } = (await askCloudflare(services.at, 'GET', path)) as {
    readonly schedules: readonly { readonly cron: string }[]
  }
  return schedules.map(({ cron }) => cron)
}

/** Lets a cron trigger fire a Worker, or none with an empty list, as somebody does in the dashboard. */
async function setCrons(script: string, ...crons: readonly string[]): Promise<void> {
  const path = `/accounts/${services.at.accountId}${pathOf(script)}/schedules`
  const schedules = crons.map(cron => ({ cron }))
  await askCloudflare(services.at, 'PUT', path, schedules)
}

it('a clock that the endpoint was moves to a Worker of its own with one up, without a gap', async () => {
  const push = 'homeport-dev-push'
  const file = join(temporaryFolder(), 'state.json')
  await stack.must(['stack', 'export', '--file', file])
  const state = JSON.parse(await readFile(file, 'utf8'))
  const { resources } = state.deployment
  const script = resources.find((one: { urn: string }) => one.urn.endsWith('::push-worker'))
  const type = 'cloudflare:index/workersCronTrigger:WorkersCronTrigger'
  const inputs = { accountId: services.at.accountId, scriptName: push, schedules: [{ cron: '*/5 * * * *' }] }
  resources.push({
    custom: true,
    type,
    inputs,
    parent: script.parent,
    provider: script.provider,
    id: push,
    urn: script.urn.replace(/[^$:]*:index[^:]*:WorkersScript::.*$/, `${type}::push-trigger`),
    outputs: { ...inputs, id: push },
    dependencies: [script.urn],
  })
  await writeFile(file, JSON.stringify(state))
  await stack.must(['stack', 'import', '--file', file])
  await setCrons(push, '*/5 * * * *')

  await stack.configure({ clock: 'you/dns/dns.yml' })
  await stack.configureSecrets({ clockToken: 'github_pat_11AAAAAAA0_b' })
  services.sandbox.control.clearJournal()
  // To delete the old trigger would send nothing, so it is emptied.
  expect(await stack.up(...policies)).toMatch(/clock-trigger.*\n +warning: .*cannot be destroyed/)
  expect(await services.writes()).toEqual([
    `PUT ${pathOf(clock)}`,
    `PUT ${pathOf(clock)}/schedules`,
    `PUT ${pathOf(push)}/schedules`,
  ])
  expect([await cronsOf(clock), await cronsOf(push)]).toEqual([['*/5 * * * *'], []])
  expect((await stack.drift()).output).toContain('No drift')
  await stack.must(['preview', '--refresh', '--expect-no-changes'])
})

/** Expects one `up` to restore the trigger, and a second one to write nothing. */
async function bringBack() {
  await stack.up(...policies)
  expect(await cronsOf(clock)).toHaveLength(1)
  expect((await stack.drift()).output).toContain('No drift')
  services.sandbox.control.clearJournal()
  await stack.up()
  expect(await services.writes()).toEqual([])
}

it('a clock whose trigger somebody emptied is named, and brought back as drift says', async () => {
  await setCrons(clock)
  const seen = await stack.run(['preview', '--refresh', '--expect-no-changes'])
  expect(seen.status).not.toBe(0)
  const { status, output } = await stack.drift()
  expect(status).toBe(1)
  expect(output).toMatch(/has cron triggers = .* Then run pulumi up/)
  await bringBack()
})

it('a clock comes back with a Worker that somebody removed', async () => {
  await askCloudflare(services.at, 'DELETE', `/accounts/${services.at.accountId}${pathOf(clock)}`)
  await bringBack()
})

it('a trigger that another Worker has is named', async () => {
  await setCrons('homeport-dev-push', '0 * * * *')
  const { output } = await stack.drift()
  expect(output).toMatch(/homeport-dev-push has cron triggers = .*Delete it in the dashboard/)
  await setCrons('homeport-dev-push')
})

it('a clock that is removed leaves no Worker, and no trigger', async () => {
  await stack.configure({ clock: undefined, clockToken: undefined })
  services.sandbox.control.clearJournal()
  await stack.up(...policies)
  expect(await services.writes()).toEqual([`DELETE ${pathOf(clock)}`])
  expect((await stack.drift()).output).toContain('No drift')
  await stack.must(['preview', '--refresh', '--expect-no-changes'])
})
