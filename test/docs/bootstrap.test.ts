import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sodium from 'libsodium-wrappers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { headingsOf } from '../../infra/bootstrap/steps.ts'
import { Services } from '../support/engine/services.ts'
import { createUserToken } from '../support/services.ts'
import { blocksIn, blockWith, leftOut, stackSections } from './page.ts'
import { azureCli, gitHubCli, storageAccount } from './set-up.ts'
import { createTokens, openStackTerminal } from './stack-terminal.ts'
import type { Terminal } from './terminal.ts'

const page = 'docs/deploy.md'
const steps = headingsOf(true)
/** Each step starts dozens of processes, and the CLI may have to be built first. */
const timeout = 600_000
/** The day on which the reader's tokens end. */
const tokensEnd = new Date(Date.now() + 365 * 86_400_000).toISOString().slice(0, 10)
const placeholders = /\b(YOU\/homeport|ZONE_ID|ACCOUNT_ID|RECORD_ID|DAY|=NAME)(?="?$)/gm

let services: Services
let terminal: Terminal
let pasted: Map<string, string>
/** Of the record that exists. */
let recordId = ''

beforeAll(async () => {
  await sodium.ready
  services = await Services.start()
  services.sandbox.control.setState({ github: { environments: {} } })
  const { cloudflare, entra, github } = services.sandbox.description
  const { deployer } = entra
  pasted = await createTokens(services, ['DNS', 'Workers Routes'], ['Workers Scripts', 'D1'], {
    expires_on: `${tokensEnd}T23:59:59Z`,
  })
  for (const name of ['github-token', 'github-reading-token']) pasted.set(name, github.token)
  const fill = (text: string) =>
    text.replace(placeholders, found => values()[found] ?? found).replaceAll('YOU@', 'homeport@')
  const values = (): Readonly<Record<string, string>> => ({
    'YOU/homeport': 'homeport/homeport',
    ZONE_ID: cloudflare.zoneId,
    ACCOUNT_ID: cloudflare.accountId,
    RECORD_ID: recordId,
    DAY: tokensEnd,
    '=NAME': `=${storageAccount}`,
  })
  terminal = await openStackTerminal(
    services,
    { pasted, fill, programs: { az: azureCli(services), gh: gitHubCli(services) } },
    {
      'github:baseUrl': github.baseUrl,
      instance: entra.instance.replace(/\/$/, ''),
      graphUrl: entra.graphUrl,
    },
    // A local backend, and the person who is signed in to Azure.
    `PULUMI_BACKEND_URL="file://$HOME" ARM_CLIENT_ID='${deployer.clientId}' ARM_CLIENT_SECRET='${deployer.clientSecret}' ARM_USE_CLI=false`,
  )
}, timeout)
afterAll(() => services?.close())

const dnsToken = async () => (await terminal.must('pulumi stack output dnsToken --show-secrets')).trim()

/** Expects the check to have printed that a step is the next one. */
function expectNext(checked: string, step: string | undefined): void {
  const [, heading] = /under "(.*)":\n {2}(.*)\n {2}(.*)\n$/.exec(checked) ?? []
  expect(heading, checked).toBe(step)
}

describe('docs/deploy.md, followed from the top', { timeout }, () => {
  it.each([
    ['tools', null],
    ['repository', 'cloudflare'],
    ['cloudflare', 'entra'],
    ['entra', 'state'],
    ['state', null],
    ['github', null],
  ] as const)('is followed from the top: %s', async (step, next) => {
    const output = await terminal.follow(blocksIn(page, `## ${steps.get(step)}`))
    if (step === 'state') {
      const file = join(terminal.folder, 'homeport/secrets/passphrase')
      pasted.set('passphrase', (await readFile(file, 'utf8')).trim())
    }
    if (next) expectNext(output, steps.get(next))
  })

  it('7: creates the stack, and adopts the record that exists', async () => {
    const blocks = blocksIn(page, `## ${steps.get('stack')}`)
    const adopt = blockWith(page, 'importRecordId RECORD_ID')
    const adoptAt = blocks.findIndex(({ text }) => text === adopt.text)
    const report = await terminal.follow(blocks.slice(0, adoptAt))
    expectNext(report, steps.get('stack'))
    recordId = /already has an A record: "([0-9a-f]{32})"/.exec(report)?.[1] ?? ''
    const before = await services.record('home.example.com')
    expect(recordId).toBe(before?.id)

    const [preview, planned] = blocksIn(page, `## ${steps.get('deploy')}`)
    const refused = await terminal.run(preview?.text ?? '')
    expect(refused.status, refused.output).not.toBe(0)
    expect(refused.output).toContain(`importRecordId ${recordId}`)
    // The count on the page is that of a name without a record.
    await terminal.must('pulumi config set --plaintext hostname new.example.com')
    await terminal.follow([preview, planned])
    await terminal.must('pulumi config set --plaintext hostname home.example.com')
    expect(await terminal.enter(adopt)).toMatch(/= 1 imported/)
    expect(await services.record('home.example.com')).toEqual(before)
  })

  it('8: deploys, and adds the first employee', async () => {
    const [, , up, , after, added, bind] = blocksIn(page, `## ${steps.get('deploy')}`)
    expect(await terminal.enter(up)).toMatch(/1[34] unchanged/)
    await terminal.follow([after, added, bind])
    expect(await terminal.must('npm run -s bootstrap')).toContain('Nothing is missing.')
  })

  it('9 and 10: hands over the token, and lets CI deploy', async () => {
    await terminal.follow(blocksIn(page, `## ${steps.get('handOver')}`))
    expect(services.token).toBe(await dnsToken())
    await terminal.follow(blocksIn('docs/operate.md', '## Let every up hand over the token'))
    await terminal.follow(blocksIn(page, `## ${steps.get('continuous')}`))
  })

  it('finds no drift, and deletes a token as drift says', async () => {
    const [drift] = blocksIn('docs/stack.md', '## Drift')
    await terminal.must('export HOMEPORT_ISSUE_TOKEN=$GITHUB_TOKEN')
    const compared = await terminal.enter(drift)
    expect(compared.match(/No drift: stack prod is as the last run left it\./g)).toHaveLength(1)

    const zone = `com.cloudflare.api.account.zone.${services.at.zoneId}`
    const { id } = await createUserToken(services.at, 'homeport-prod', [[zone, 'DNS Write']])
    const left = await terminal.run('CLOUDFLARE_API_TOKEN=$(cat secrets/reading-token) npm run -s drift')
    const [, command = ''] = /, or run: (.*)\. If a stack in another backend/.exec(left.output) ?? []
    expect(await terminal.must(command)).toContain('"success":true')
    expect((await services.userTokens()).map(token => token.id)).not.toContain(id)
  })

  it('upgrades the Worker and goes back, as docs/operate.md says', async () => {
    const [upgrade, rollBack] = blocksIn('docs/operate.md', '## Upgrade a Worker')
    const { accountId } = services.at
    const databases = `/accounts/${accountId}/d1/database`
    const [database] = await services.api<{ uuid: string }[]>('GET', databases)
    const query = (sql: string) => services.api('POST', `${databases}/${database?.uuid}/query`, { sql })
    const origin = 'https://people.example.com'
    const ask = async (path: string) => JSON.parse((await services.askWorker(origin, path)).body)
    const titleOf = async () => (await ask('/openapi.json')).info.title
    const title = await titleOf()

    // The tables of an earlier version, below a newer Worker.
    await query('DROP TABLE homeport_audit')
    await query('DELETE FROM homeport_migrations WHERE version = 2')
    await terminal.must(`sed -i "s/'${title}'/'A newer ${title}'/" src/http/openapi.ts
      git commit --quiet --all --message 'A newer version'`)
    services.sandbox.control.clearJournal()
    expect(await terminal.enter(upgrade)).toContain('created table homeport_audit.')
    expect(await titleOf()).toBe(`A newer ${title}`)
    const entries = services.sandbox.control.journal()
    const migrated = entries.findIndex(({ body }) => body?.includes('CREATE TABLE'))
    const uploaded = entries.findIndex(({ method, path }) => method === 'PUT' && path.includes('/scripts/'))
    expect(migrated).toBeGreaterThanOrEqual(0)
    expect(uploaded).toBeGreaterThan(migrated)

    await terminal.must('git checkout --quiet HEAD~1')
    await terminal.enter(rollBack)
    expect(await titleOf()).toBe(title)
    expect(await ask('/healthz')).toEqual({ status: 'ok' })
    // It finds the first administrator in the newer tables, bound to the account that deployed.
    expect(await services.signIn(origin, 'alice@example.com')).toMatchObject({ code: 'identity-changed' })
  })

  it('rotates the credentials', async () => {
    const tokens = await services.userTokens()
    await terminal.follow(blocksIn('docs/operate.md', '## Rotate credentials of a stack'))
    const ids = (await services.userTokens()).map(({ id }) => id)
    expect(tokens.filter(({ name }) => name === 'homeport-prod').map(({ id }) => ids.includes(id))).toEqual([
      false,
    ])
    expect(services.token).toBe(await dnsToken())
    await terminal.enter(blockWith('docs/operate.md', 'keys -- add -'))
    expect(await terminal.must('pulumi config get sessionKeys')).toMatch(/^\w\S*:\S{43},\w\S*:\S{43}$/m)
  })

  it('removes the stack, except the protected record and database', async () => {
    await terminal.follow(blocksIn('docs/operate.md', '## Remove a stack'))
    expect(await services.record('home.example.com')).toBeDefined()
    const databases = `/accounts/${services.at.accountId}/d1/database`
    expect(await services.api('GET', databases)).toMatchObject([{ name: 'homeport-prod' }])
    expect((await services.userTokens()).filter(({ name }) => name === 'homeport-prod')).toEqual([])
  })

  it('leaves no command of either page out', () => {
    const operate = (stackSections['docs/operate.md'] ?? [])
      .flatMap(heading => blocksIn('docs/operate.md', heading))
      .filter(({ language, text }) => language === 'sh' && !text.includes('--settings settings'))
    const left = [...leftOut(page), ...leftOut('docs/operate.md', operate), ...leftOut('docs/stack.md')]
    expect(left).toEqual([])
  })
})
