import { expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { deployed } from '../support/engine/deployed.ts'
import { recordingFile, recordingOf } from '../support/engine/recording.ts'
import { environmentName } from '../support/engine/services.ts'
import { hostname, policies, publicOrigin, pushHost, routerPassword } from '../support/engine/stack.ts'

/** What somebody changes behind the stack's back, and what `npm run drift` advises about it, which has to work. */

const { stage, stack } = await deployed()
const { services } = stage
const { accountId, zoneId } = services.at
const account = `/accounts/${accountId}`
await stack.configurePush()
await stack.up()

const script = (name: string) => `${account}/workers/scripts/${name}`
const drift = async () => (await stack.drift()).output
const isCalm = async () => expect(await drift()).toContain('No drift')

/** Runs the commands of a line up to `pulumi up`, as a shell does. */
async function follow(report: string, form: RegExp): Promise<void> {
  const command = form.exec(report)?.[1]?.replace('npm run', `npm --prefix '${root}' run`)
  expect(command, report).toBeDefined()
  await stage.shell(command ?? '')
}

async function urnOf(part: string): Promise<string> {
  const { deployment } = JSON.parse(await stack.must(['stack', 'export']))
  return deployment.resources.find(({ urn }: { urn: string }) => urn.endsWith(part)).urn
}

it('the state that the tests of drift read is what the CLI exports', async () => {
  await expect(await recordingOf(stack)).toMatchFileSnapshot(recordingFile)
})

it('a secret of either Worker that somebody replaced is uploaded again by the commands of its line', async () => {
  const secret = (name: string) => ({ name, text: 'theirs', type: 'secret_text' })
  services.sandbox.control.setClock({ advanceMs: 2000 })
  await services.api('PUT', `${script('homeport-dev')}/secrets`, secret('CLIENT_SECRET'))
  await services.api('PUT', `${script('homeport-dev-push')}/secrets`, secret('HOSTS'))
  const output = await drift()
  await follow(output, /^The Worker homeport-dev was .* again: (KEYS=.* sessionKeys), then pulumi up\.$/m)
  await follow(
    output,
    /^The Worker homeport-dev-push was .* again: (pulumi config set .*), then pulumi up\.$/m,
  )
  await stack.up(...policies)
  await isCalm()
  expect(await services.redeem(publicOrigin)).toEqual([400])
  const query = `hostname=${hostname}&myip=8.8.4.4`
  expect(await services.ping(`https://${pushHost}`, routerPassword, query)).toBe('200 good 8.8.4.4\n')
})

it('a record and a database that the state does not know are adopted, and no line says that up creates them', async () => {
  const databaseId = await stack.output('databaseId')
  for (const part of ['::dns-record', '::handler-database'])
    await stack.must(['state', 'delete', '--yes', '--force', '--target-dependents', await urnOf(part)])
  const output = await drift()
  expect(output).not.toMatch(/lacks: .*(the record|the database)/)
  await follow(output, /Adopt it: (pulumi config set \S+ importRecordId [0-9a-f]{32}), then pulumi up/)
  await follow(output, /adopt it, which deletes nothing: (pulumi import .*), then pulumi up/)
  await stack.up()
  await follow(output, /(pulumi config rm importRecordId)\./)
  await stack.up(...policies)
  expect(await stack.output('databaseId')).toBe(databaseId)
  await isCalm()
})

it('a record in the place of one that is gone is adopted as its line says', async () => {
  const record = await services.record(hostname)
  const path = `/zones/${zoneId}/dns_records`
  await services.api('DELETE', `${path}/${record?.id}`)
  const body = { name: hostname, type: 'A', content: '198.51.100.9', ttl: 120, proxied: false }
  const { id } = await services.api<{ id: string }>('POST', path, body)
  const output = await drift()
  expect(output).toContain(
    `Adopt it: pulumi refresh, then pulumi config set --plaintext importRecordId ${id}`,
  )
  await stack.must(['refresh', '--yes'])
  await stack.configure({ importRecordId: id })
  await stack.up()
  await stack.configure({ importRecordId: undefined })
  await stack.up()
  expect(await services.record(hostname)).toMatchObject({ id, content: '198.51.100.9' })
  await isCalm()
})

it('a host with a record is refused by the preview, which sends nothing', async () => {
  const body = { name: 'taken.example.com', type: 'A', content: '198.51.100.9', ttl: 120 }
  const { id } = await services.api<{ id: string }>('POST', `/zones/${zoneId}/dns_records`, body)
  await stack.configure({ pushOrigin: 'https://taken.example.com' })
  services.sandbox.control.clearJournal()
  const { status, output } = await stack.run(['preview'])
  expect(status).not.toBe(0)
  const said = output.replace(/\s+/g, ' ')
  expect(said).toContain(`taken.example.com has an A record ("${id}"), so it cannot be the custom domain`)
  expect(services.writes()).toEqual([])
  await stack.configure({ pushOrigin: `https://${pushHost}` })
})

/** Deletes at the services whatever the stack has there, besides the environment itself. */
async function deleteEverything(): Promise<void> {
  const record = await services.record(hostname)
  await services.api('DELETE', `/zones/${zoneId}/dns_records/${record?.id}`)
  for (const { id } of await services.tokens()) await services.api('DELETE', `${account}/tokens/${id}`)
  for (const kind of ['domains', 'scripts'])
    for (const { id } of await services.api<{ id: string }[]>('GET', `${account}/workers/${kind}`))
      await services.api('DELETE', `${account}/workers/${kind}/${id}`)
  for (const { uuid } of await services.api<{ uuid: string }[]>('GET', `${account}/d1/database`))
    await services.api('DELETE', `${account}/d1/database/${uuid}`)
  await services.graph('DELETE', `/applications/${services.registration().id}`)
  services.sandbox.control.setState({ github: { environments: { [environmentName]: {} } } })
}

// test/infra/drift/drift.test.ts has the line of each.
it('each thing that is gone is created again with one up', async () => {
  await deleteEverything()
  expect((await stack.drift()).status).toBe(1)
  await stack.must(['preview'])
  await stack.up()
  await isCalm()
})

it('each thing that is gone can leave the stack with one up', async () => {
  await stack.must(['state', 'unprotect', '--yes', await urnOf('::handler-database')])
  await deleteEverything()
  await stack.configure({ signIn: 'none', push: 'none', repository: undefined, environment: undefined })
  await stack.must(['preview'])
  await stack.up()
  await isCalm()
  services.sandbox.control.clearJournal()
  await stack.up()
  expect(services.writes()).toEqual([])
})
