import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { headingsOf } from '../../infra/doctor/bootstrap/steps.ts'
import { root } from '../../tools/bundle.ts'
import { pulumiCli } from '../../tools/pulumi-cli.ts'
import { searchPath } from '../../tools/pulumi-project.ts'
import { Services } from '../support/engine/services.ts'
import { type Allowed, createUserToken } from '../support/services.ts'
import { blocksIn, leftOut, missingLines } from './page.ts'
import { Terminal } from './terminal.ts'

const page = 'docs/deploy.md'
const steps = headingsOf(false)
const headings = [...steps.values()]
const timeout = 300_000
/** Texts of the blocks that were run. */
const ran = new Set<string>()
/** What a reader pastes. */
const pasted = new Map<string, string>()
let services: Services
let terminal: Terminal

beforeAll(async () => {
  const pulumi = await pulumiCli(line => void process.stderr.write(`${line}\n`))
  terminal = await openTerminal(pulumi)
}, timeout)
afterAll(async () => {
  await terminal?.close()
  await services?.close()
})

/** Only the clone, the packages and Cloudflare's address are replaced. */
async function openTerminal(pulumi: string): Promise<Terminal> {
  const npm = execFileSync('which', ['npm'], { encoding: 'utf8' }).trim()
  const opened = await Terminal.open(
    {},
    new Map(),
    {
      git: `mkdir homeport && cd homeport && ln -s '${root}'/{infra,action,src,tools,package.json,node_modules} . && cp '${root}/Pulumi.yaml' .`,
      npm: `if [ "$1" != ci ]; then exec '${npm}' "$@"; fi`,
      pulumi: `'${pulumi}' "$@" || exit\nif [ "$1 $2" = 'stack init' ]; then '${pulumi}' config set --plaintext cloudflare:baseUrl "$CLOUDFLARE_BASE_URL"; fi`,
    },
    { PATH: searchPath(pulumi) },
  )
  services = await Services.start(opened.folder)
  const { cloudflare, echo } = services.sandbox.description
  await must(
    `export ${Object.entries({
      NO_COLOR: '1',
      PULUMI_SKIP_UPDATE_CHECK: 'true',
      PULUMI_SKIP_CONFIRMATIONS: 'true',
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
      SSL_CERT_FILE: services.authority,
      CLOUDFLARE_BASE_URL: cloudflare.apiUrl,
      HOMEPORT_BASE_URL: cloudflare.baseUrl,
      HOMEPORT_ADDRESS_SOURCES: echo.join('\n'),
      HOMEPORT_ALLOW_RESERVED_ADDRESS: 'true',
    })
      .map(([name, value]) => `${name}='${value}'`)
      .join(' ')}`,
    opened,
  )
  const [self, zone] = ['com.cloudflare.api.user.*', `com.cloudflare.api.account.zone.${services.at.zoneId}`]
  const tokens: Readonly<Record<string, readonly Allowed[]>> = {
    CLOUDFLARE_MINTING_TOKEN: [[self, 'API Tokens Write']],
    CLOUDFLARE_API_TOKEN: [[zone, 'DNS Write']],
    CLOUDFLARE_READING_TOKEN: [
      [zone, 'DNS Read'],
      [self, 'API Tokens Read'],
    ],
  }
  for (const [variable, allowed] of Object.entries(tokens))
    pasted.set(variable, (await createUserToken(services.at, variable, allowed)).value)
  return opened
}

async function must(script: string, on = terminal, stdin = '', status = 0): Promise<string> {
  const ended = await on.run(script, stdin)
  expect(ended, `${script}\n${ended.output}`).toMatchObject({ status })
  for (const secret of pasted.values()) expect(ended.output).not.toContain(secret)
  return ended.output
}

it(
  'is followed from the top to a kept record, with no directory and nothing but Cloudflare',
  async () => {
    const hostname = 'new.example.com'
    let output = ''
    for (const heading of headings) {
      for (const { language, text } of blocksIn(page, `### ${heading}`)) {
        if (language === 'text') {
          expect(missingLines(output, text), output).toEqual([])
          continue
        }
        ran.add(text)
        const variable = /^read -rs (\w+)/.exec(text)?.[1]
        const script = text.replace(/\bZONE_ID$/m, services.at.zoneId).replace('home.example.com', hostname)
        const stdin = variable === undefined ? '' : `${pasted.get(variable)}\n`
        // Before it is deployed, something is missing.
        output = await must(script, terminal, stdin, text.includes('bootstrap') ? 1 : 0)
      }
    }
    expect(await services.record(hostname)).toMatchObject({
      content: expect.not.stringMatching(/^192\.0\.2\.1$/),
    })
    expect(await must('npm run -s bootstrap')).toContain('Nothing is missing.')
    expect(services.state.entra.applications).toEqual([])
    // The page says how to give several hostnames, and the check how to adopt those that exist.
    const others = ['wiki.example.com', 'files.example.com']
    const body = { type: 'A', content: '192.0.2.1', ttl: 120, proxied: false }
    for (const name of others)
      await services.api('POST', `/zones/${services.at.zoneId}/dns_records`, { ...body, name })
    const set = 'pulumi config set --plaintext hostname "$HOMEPORT_HOSTNAME"'
    await must(`export HOMEPORT_HOSTNAME=${[hostname, ...others]}\n${set}`)
    for (const name of others) {
      const said = await must('npm run -s bootstrap', terminal, '', 1)
      const command = /^ {2}To adopt it with its address, run (.+), for each record/m.exec(said)?.[1] ?? ''
      expect(command).toContain(`; ${name} A `)
      await must(command)
    }
    for (const text of ran) if (/^pulumi up|action\/dist/.test(text)) output += await must(text)
    expect(output).toContain('= 2 imported')
    for (const name of others)
      expect(await services.record(name)).toMatchObject({
        content: expect.not.stringMatching(/^192\.0\.2\.1$/),
      })
    const path = blocksIn(page, '## A record in fifteen minutes').filter(({ language }) => language === 'sh')
    expect(leftOut(page, ran, path)).toEqual([])
  },
  timeout,
)
