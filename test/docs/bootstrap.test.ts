import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import sodium from 'libsodium-wrappers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { headingsOf } from '../../infra/doctor/bootstrap/steps.ts'
import { root } from '../../tools/bundle.ts'
import { pulumiCli } from '../../tools/pulumi-cli.ts'
import { searchPath } from '../../tools/pulumi-project.ts'
import { Services } from '../support/engine/services.ts'
import { type Allowed, createUserToken } from '../support/services.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type Block, blocksIn, leftOut, missingLines, shellBlocksOf, stackSections } from './page.ts'
import { effectsOf, storageAccount } from './set-up.ts'
import { type Ended, Terminal } from './terminal.ts'
import { gitConfigOf, makeUpstream } from './upstream.ts'

const page = 'docs/deploy.md'
const steps = headingsOf(true)
/** Each step starts dozens of processes, and the CLI may have to be built first. */
const timeout = 600_000
const checkCommand = 'npm run -s bootstrap'
const placeholders = /\b(YOU\/homeport|ZONE_ID|ACCOUNT_ID|RECORD_ID|DAY|=NAME)(?="?$)/gm

let folder: string
let services: Services
let terminal: Terminal
/** The day on which the reader's tokens end. */
const tokensEnd = new Date(Date.now() + 365 * 86_400_000).toISOString().slice(0, 10)
/** What a reader pastes, by the name of the variable. */
const pasted = new Map<string, string>()
/** The check that a block ran last. */
let checked: Ended | undefined
/** Texts of the blocks that were run. */
const ran = new Set<string>()
/** What must never be printed. */
const secrets: string[] = []

beforeAll(async () => {
  await sodium.ready
  folder = temporaryFolder()
  const [pulumi, upstream] = await Promise.all([
    pulumiCli(line => void process.stderr.write(`${line}\n`)),
    makeUpstream(folder),
  ])
  services = await Services.start(folder)
  services.sandbox.control.setState({ github: { environments: {} } })
  const { cloudflare, entra, github } = services.sandbox.description
  const { deployer } = entra
  const gitConfig = await gitConfigOf(upstream)
  for (const name of ['home', 'state']) await mkdir(join(folder, name))
  const names = new Map<string, string>([
    [`${github.owner}/${github.repository}`, 'GITHUB_REPOSITORY'],
    [storageAccount, 'AZURE_STORAGE_ACCOUNT'],
    [entra.tenantId, 'ARM_TENANT_ID'],
    [cloudflare.zoneId, 'CLOUDFLARE_ZONE_ID'],
  ])
  const effects = effectsOf({
    description: services.sandbox.description,
    folder,
    name: (value, name) => void names.set(value, name),
  })
  // Replaces the addresses of the public services, and the person who is signed in to Azure.
  const sandboxConfig = {
    'cloudflare:baseUrl': cloudflare.apiUrl,
    'github:baseUrl': github.baseUrl,
    instance: entra.instance.replace(/\/$/, ''),
    graphUrl: entra.graphUrl,
  }
  const sandboxed = Object.entries(sandboxConfig).map(([key, value]) => `--plaintext '${key}=${value}'`)
  const signedIn = `ARM_CLIENT_ID='${deployer.clientId}' ARM_CLIENT_SECRET='${deployer.clientSecret}' ARM_USE_CLI=false`
  const cli = `PULUMI_BACKEND_URL='file://${join(folder, 'state')}' ${signedIn} '${pulumi}'`
  terminal = await Terminal.open(
    effects,
    names,
    {
      az: null,
      gh: null,
      pulumi: `${cli} "$@" || exit\nif [ "$1 $2" = 'stack init' ]; then ${cli} config set-all ${sandboxed.join(' ')}; fi`,
      npm: `if [ "$1" = ci ]; then ln -sfn '${join(root, 'node_modules')}' node_modules; else exec '${execFileSync('which', ['npm'], { encoding: 'utf8' }).trim()}' "$@"; fi`,
    },
    {
      PATH: searchPath(pulumi),
      PULUMI_HOME: join(folder, 'home'),
      PULUMI_SKIP_UPDATE_CHECK: 'true',
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
      PULUMI_SKIP_CONFIRMATIONS: 'true',
      NO_COLOR: '1',
      GIT_CONFIG_GLOBAL: gitConfig,
      SSL_CERT_FILE: services.authority,
      ARM_METADATA_HOSTNAME: entra.metadataHost,
      CLOUDFLARE_BASE_URL: cloudflare.apiUrl,
      CLOUDFLARE_API_URL: cloudflare.apiUrl,
      GITHUB_API_URL: github.baseUrl,
      GRAPH_URL: entra.graphUrl,
    },
  )
  for (const name of ['HOMEPORT_GITHUB_TOKEN', 'HOMEPORT_GITHUB_READING_TOKEN'])
    pasted.set(name, github.token)
  await createTokens()
}, timeout)
afterAll(async () => {
  await terminal?.close()
  await services?.close()
})

/** Creates the tokens that the page has a reader create in the dashboard. */
async function createTokens(): Promise<void> {
  const { accountId, zoneId } = services.at
  const zone = `com.cloudflare.api.account.zone.${zoneId}`
  const account = `com.cloudflare.api.account.${accountId}`
  const self = 'com.cloudflare.api.user.*'
  const groups = (verb: string): readonly Allowed[] => [
    [zone, `DNS ${verb}`, `Workers Routes ${verb}`],
    [account, `Workers Scripts ${verb}`, `D1 ${verb}`],
  ]
  const tokens: Readonly<Record<string, readonly Allowed[]>> = {
    CLOUDFLARE_MINTING_TOKEN: [[self, 'API Tokens Write']],
    CLOUDFLARE_API_TOKEN: groups('Write'),
    CLOUDFLARE_READING_TOKEN: [...groups('Read'), [self, 'API Tokens Read']],
  }
  for (const [variable, allowed] of Object.entries(tokens)) {
    const ends = { expires_on: `${tokensEnd}T23:59:59Z` }
    const { value } = await createUserToken(services.at, variable, allowed, ends)
    pasted.set(variable, value)
    secrets.push(value)
  }
}

/** Returns the commands of a block with its placeholders filled in. */
function filled({ text }: Block, record = ''): string {
  ran.add(text)
  const { zoneId, accountId } = services.at
  const values: Readonly<Record<string, string>> = {
    'YOU/homeport': 'homeport/homeport',
    ZONE_ID: zoneId,
    ACCOUNT_ID: accountId,
    RECORD_ID: record,
    DAY: tokensEnd,
    '=NAME': `=${storageAccount}`,
  }
  return text.replace(placeholders, found => values[found] ?? found)
}

const sh = (heading: string) => blocksIn(page, heading).filter(({ language }) => language === 'sh')
const isCheck = ({ text }: Block) => text.includes(checkCommand)
const isForHost = ({ text }: Block) => text.includes('signIn host')

async function must(script: string, stdin = ''): Promise<string> {
  const ended = await terminal.run(script, stdin)
  expect(ended, `${script}\n${ended.output}`).toMatchObject({ status: 0 })
  return ended.output
}

/** Runs the check. No output may hold a secret. */
async function check(): Promise<Ended> {
  const ended = await terminal.run(checkCommand)
  for (const secret of secrets) expect(ended.output).not.toContain(secret)
  return ended
}

/** Only a released CLI prints a v before its version. */
const expectedOf = ({ text }: Block): string => text.replaceAll('YOU', 'homeport').replace('v3.', '…3.')

/** Runs the blocks of a step in order. Where it has the check, the check runs and must print what the page says. */
async function follow(heading: string, blocks = blocksIn(page, heading)): Promise<string> {
  let output = ''
  for (const block of blocks) {
    if (block.language === 'text') {
      expect(missingLines(output, expectedOf(block)), output).toEqual([])
    } else if (isCheck(block)) {
      await must(filled(block).replace(checkCommand, ''))
      checked = await check()
      output = checked.output
    } else {
      const variable = /^read -rs (\w+)/.exec(block.text)?.[1]
      output = await must(filled(block), variable === undefined ? '' : `${pasted.get(variable)}\n`)
    }
  }
  return output
}

/** Expects a step to be the next one. */
async function expectNext(step: string | undefined): Promise<void> {
  const { status, output } = checked ?? (await check())
  checked = undefined
  const [, heading] = /under "(.*)":\n {2}(.*)\n {2}(.*)\n$/.exec(output) ?? []
  expect({ status, heading }, output).toEqual({ status: 1, heading: step })
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
    const output = await follow(`## ${steps.get(step)}`)
    if (step === 'state') secrets.push(output.trim().split('\n').at(-1) ?? '')
    if (next) await expectNext(steps.get(next))
  })

  it('7: creates the stack, and adopts the record that exists', async () => {
    const blocks = blocksIn(page, `## ${steps.get('stack')}`)
    const [adopt] = sh('### An existing record')
    if (adopt === undefined) throw new Error('The page does not say how to adopt a record.')
    const adoptAt = blocks.findIndex(({ text }) => text === adopt.text)
    const report = await follow(
      '',
      blocks.slice(0, adoptAt).filter(block => !isForHost(block)),
    )
    await expectNext(steps.get('stack'))
    const id = /already has an A record: "([0-9a-f]{32})"/.exec(report)?.[1]
    const before = await services.record('home.example.com')
    expect(id).toBe(before?.id)

    const [preview, planned] = blocksIn(page, `## ${steps.get('deploy')}`)
    const refused = await terminal.run(preview?.text ?? '')
    expect(refused.status, refused.output).not.toBe(0)
    expect(refused.output).toContain(`importRecordId ${id}`)
    // The count on the page is that of a name without a record.
    await must('pulumi config set --plaintext hostname new.example.com')
    await follow(
      '',
      [preview, planned].filter(block => block !== undefined),
    )
    await must('pulumi config set --plaintext hostname home.example.com')
    const output = await must(filled(adopt, id ?? ''))
    expect(output).toMatch(/= 1 imported/)
    expect(await services.record('home.example.com')).toEqual(before)
  })

  it('8: deploys, and adds the first employee', async () => {
    const [, , up, , after, added, bind] = blocksIn(page, `## ${steps.get('deploy')}`)
    expect(await must(up === undefined ? '' : filled(up))).toMatch(/1[34] unchanged/)
    await follow(
      '',
      [after, added, bind].filter(block => block !== undefined),
    )
    expect((await check()).output).toContain('Nothing is missing.')
  })

  it('7 and 8 on a host: deploys a second stack, and writes its settings', async () => {
    const [preview, deploy] = sh(`## ${steps.get('deploy')}`)
    const stack = sh(`## ${steps.get('stack')}`).filter(({ text }) => !/bootstrap|importRecordId/.test(text))
    const [write] = blocksIn('docs/operate.md', '## Settings from a Pulumi stack')
    const host = 'app.example.com'
    await must(`export HOMEPORT_HOSTNAME=${host} HOMEPORT_ORIGIN=https://${host}`)
    let output = ''
    for (const block of [...stack, preview, deploy, write]) {
      if (block) output += await must(filled(block).replace('init prod', 'init host'))
    }
    expect(output).toMatch(
      /\+ 10 to create.*\+ 10 created.*Wrote client-secret, session-keys, homeport\.env/s,
    )
    const settings = await must('cat settings/homeport.env')
    expect(settings).toContain(`REDIRECT_URI=https://${host}/_homeport/auth/callback\n`)
    expect(settings).toContain('SESSION_RECHECK=1h\n')
    await must(
      'pulumi state unprotect --all --yes && pulumi destroy && pulumi stack rm && pulumi stack select prod',
    )
  })

  it('9 and 10: hands over the token, and lets CI deploy', async () => {
    await follow(`## ${steps.get('handOver')}`)
    expect(services.handedOverToken()).toBe(
      (await must('pulumi stack output dnsToken --show-secrets')).trim(),
    )
    await follow(`## ${steps.get('continuous')}`)
    expect(checked?.status, checked?.output).toBe(0)
  })

  it('finds no drift, and deletes a token as docs/stack.md says', async () => {
    const guide = 'docs/stack.md'
    const [drift] = blocksIn(guide, '## Drift')
    const [deletion] = shellBlocksOf(guide).filter(({ text }) => text.includes('--request DELETE'))
    if (drift === undefined || deletion === undefined) throw new Error(`${guide} lacks commands.`)
    const compared = await must(`(export HOMEPORT_ISSUE_TOKEN=$GITHUB_TOKEN\n${filled(drift)})`)
    expect(compared.match(/No drift: stack prod is as the last run left it\./g)).toHaveLength(1)

    const zone = `com.cloudflare.api.account.zone.${services.at.zoneId}`
    const { id } = await createUserToken(services.at, 'left', [[zone, 'DNS Write']])
    const command = filled(deletion)
      .replace('https://api.cloudflare.com/client/v4', services.at.apiUrl)
      .replace('accounts/ACCOUNT_ID', 'user')
      .replace('TOKEN_ID', id)
    expect(await must(command)).toContain('"success":true')
    expect((await services.userTokens()).map(token => token.id)).not.toContain(id)
  })

  it('upgrades the Worker and goes back, as docs/operate.md says', async () => {
    const [upgrade, rollBack] = blocksIn('docs/operate.md', '## Upgrade a Worker')
    if (upgrade === undefined || rollBack === undefined) throw new Error('The page lacks commands.')
    const { accountId } = services.at
    const databases = `/accounts/${accountId}/d1/database`
    const [database] = await services.api<{ uuid: string }[]>('GET', databases)
    const query = (sql: string) => services.api('POST', `${databases}/${database?.uuid}/query`, { sql })
    const origin = 'https://people.example.com'
    const ask = async (path: string) => JSON.parse((await services.askWorker(origin, path)).body)
    const titleOf = async () => (await ask('/openapi.json')).info.title
    const title = await titleOf()

    // The tables of an earlier version, below a newer Worker.
    await query('DROP TABLE homeport_audit_outcomes')
    await query('DELETE FROM homeport_migrations WHERE version = 2')
    await must(`sed -i "s/'${title}'/'A newer ${title}'/" src/http/openapi.ts
      git commit --quiet --all --message 'A newer version'`)
    await services.forget()
    expect(await must(filled(upgrade))).toContain('created tables homeport_audit and homeport_audit_outcomes')
    expect(await titleOf()).toBe(`A newer ${title}`)
    const entries = services.sandbox.control.journal()
    const migrated = entries.findIndex(({ body }) => body?.includes('CREATE TABLE'))
    const uploaded = entries.findIndex(({ method, path }) => method === 'PUT' && path.includes('/scripts/'))
    expect(migrated).toBeGreaterThanOrEqual(0)
    expect(uploaded).toBeGreaterThan(migrated)

    await must('git checkout --quiet HEAD~1')
    await must(filled(rollBack))
    expect(await titleOf()).toBe(title)
    expect(await ask('/healthz')).toEqual({ status: 'ok' })
    // It finds the first administrator in the newer tables, bound to the account that deployed.
    expect(await services.signIn(origin, 'alice@example.com')).toMatchObject({ code: 'identity-changed' })
  })

  it('rotates the credentials', async () => {
    const tokens = await services.userTokens()
    await follow(
      '## Rotate credentials of a stack',
      blocksIn('docs/operate.md', '## Rotate credentials of a stack'),
    )
    const ids = (await services.userTokens()).map(({ id }) => id)
    expect(tokens.filter(({ name }) => name === 'homeport-prod').map(({ id }) => ids.includes(id))).toEqual([
      false,
    ])
    expect(services.handedOverToken()).toBe(
      (await must('pulumi stack output dnsToken --show-secrets')).trim(),
    )
  })

  it('removes the stack, except the protected record and database', async () => {
    await follow('## Remove a stack', blocksIn('docs/operate.md', '## Remove a stack'))
    expect(await services.record('home.example.com')).toBeDefined()
    const databases = `/accounts/${services.at.accountId}/d1/database`
    expect(await services.api('GET', databases)).toMatchObject([{ name: 'homeport-prod' }])
    expect((await services.userTokens()).filter(({ name }) => name === 'homeport-prod')).toEqual([])
  })

  it('leaves no command of either page out', () => {
    const other = new Set(blocksIn(page, '## A record in fifteen minutes').map(({ text }) => text))
    const blocks = shellBlocksOf(page).filter(({ text }) => !other.has(text) || ran.has(text))
    const operate = stackSections
      .flatMap(heading => blocksIn('docs/operate.md', heading))
      .filter(({ language }) => language === 'sh')
    const left = [
      ...leftOut(page, ran, blocks),
      ...leftOut('docs/operate.md', ran, operate),
      ...leftOut('docs/stack.md', ran),
    ]
    expect(left).toEqual([])
  })
})
