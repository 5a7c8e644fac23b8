import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { resolvers } from '../../action/address/resolver.ts'
import { defaultEchoUrls } from '../../action/inputs/addresses.ts'
import { createAgents } from '../../lib/agent.ts'
import { createNodeExchange } from '../../lib/node-exchange.ts'
import type { FaultAnswer, FaultError, FaultMatch } from '../../sandbox/http/faults.ts'
import { type FullDescription, type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { stateOf } from '../../sandbox/testing/state.ts'
import { root } from '../../tools/bundle.ts'
import { askQuestion, type Send, sendProbes } from '../real/probes.ts'
import { links, type Question, questions } from '../real/questions.ts'
import { startNode } from '../support/command.ts'
import { listen } from '../support/listen.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let sandbox: Sandbox<FullDescription>
let send: Send
let values: Readonly<Record<string, string>>

beforeAll(async () => {
  const redirectUris = ['http://localhost/homeport']
  sandbox = (await startSandbox({ entra: { redirectUris }, github: true })) as Sandbox<FullDescription>
  const { https, ca, entra, github, cloudflare } = sandbox.description
  const { zoneName, zoneId } = cloudflare
  const record = { type: 'CNAME', name: `www.${zoneName}`, content: `home.${zoneName}` }
  const home = { type: 'A', name: `home.${zoneName}`, content: '192.0.2.10' }
  sandbox.control.setState({ records: { [zoneId]: [record, home] } })
  values = {
    tenant: entra.tenantId,
    client: entra.clientId,
    repository: `${github.owner}/${github.repository}`,
    alias: `www.${zoneName}`,
    missing: `missing.${zoneName}`,
  }
  const agents = createAgents({ ca })
  const { host: graphHost } = new URL(entra.graphUrl)
  // What is meant for a real host goes to the double, which spells its own origins as theirs.
  send = async request => {
    const { host } = new URL(request.url)
    const url = request.url.replace(`//${host}`, `//${https.host}:${https.port}`)
    const outcome = await createNodeExchange({ host }, agents)({ ...request, url })
    if (outcome.kind === 'failure') return outcome
    const body = outcome.body
      .replaceAll(entra.instance, 'https://login.microsoftonline.com/')
      .replaceAll(graphHost, 'graph.microsoft.com')
    return { ...outcome, body }
  }
})
afterEach(() => sandbox.control.setFaults([]))
afterAll(() => sandbox.close())

/** The double has no pages of others. */
const rows = questions.filter(({ name }) => !name.startsWith('link'))

describe('the double and the table of probes', { concurrent: false }, () => {
  it.each(rows)('agree: $name', async question => {
    expect(await askQuestion(question, values, send)).toEqual({ isAsked: true, lines: [] })
  })

  const refusal = (error: FaultError, status?: number) =>
    ({ kind: 'errors', errors: [error], ...(status && { status }) }) as const
  it.each<[service: string, about: RegExp, match: FaultMatch, answer: FaultAnswer]>([
    ['Cloudflare', /zones/, { service: 'cloudflare', path: '/zones$' }, refusal({ code: 10000 })],
    ['Entra', /discovery/, { service: 'entra' }, { kind: 'alter', body: { msgraph_host: 'x.example.com' } }],
    ['Graph', /me without/, { service: 'graph' }, refusal({ code: 'Forbidden' }, 403)],
    ['GitHub', /dispatch/, { service: 'github' }, refusal({ message: 'Not Found' }, 404)],
    [
      'an echo',
      /api4/,
      { service: 'echo', instance: 0 },
      { kind: 'respond', status: 200, body: '203.0.113.1, 203.0.113.2' },
    ],
    [
      'a resolver',
      /dns.google\S+ follows/,
      { service: 'doh', instance: 1 },
      { kind: 'alter', body: { Answer: [] } },
    ],
  ])('a probe finds another answer of %s', async (_, about, match, answer) => {
    sandbox.control.setFaults([{ match, answer, times: null }])
    const [row, ...others] = rows.filter(({ name }) => about.test(name))
    expect(others).toEqual([])
    expect((await askQuestion(row as Question, values, send)).lines).not.toEqual([])
  })

  it('asks nothing about an application without its IDs, and puts a difference in one text, masked', async () => {
    sandbox.control.setFaults([
      {
        match: { service: 'graph' },
        answer: {
          kind: 'respond',
          status: 400,
          body: '{"error":{"code":"<b>@alice 8.8.8.8 a@example.org"}}',
        },
      },
    ])
    const printed: string[] = []
    const { tenant: _tenant, client: _client, ...others } = values
    const noLinks: Send = request =>
      /nodejs|pulumi|cli\.github|learn|dash\.|github\.com\/home/.test(request.url)
        ? send({ ...request, url: 'https://cloudflare-dns.com/dns-query?name=www.example.com&type=A' })
        : send(request)
    const issue = await sendProbes(others, noLinks, line => printed.push(line))
    expect(printed.filter(line => line.startsWith('not asked'))).toHaveLength(3)
    expect(issue).toMatch(/^<pre>\ndiffers {3}Graph/)
    expect(issue).toMatch(/&lt;b&gt;@alice &lt;IPv4 1&gt; &lt;e-mail 1&gt;/)
  })
})

it('the weekly run asks each host once, and opens and edits one issue', async () => {
  const { https, ca, github, entra } = sandbox.description
  const asked: string[] = []
  const proxy = createServer().on('connect', ({ url = '' }, socket) => {
    asked.push(url)
    const onward = connect(https.port, https.host)
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    socket.pipe(onward).pipe(socket)
    for (const end of [socket, onward]) end.on('error', () => undefined)
  })
  const file = join(temporaryFolder(), 'ca.pem')
  await writeFile(file, ca)
  const run = async () => {
    asked.length = 0
    const env = {
      HTTPS_PROXY: proxyUrl,
      NODE_EXTRA_CA_CERTS: file,
      GITHUB_API_URL: github.baseUrl.slice(0, -1),
      HOMEPORT_ISSUE_TOKEN: github.workflowToken,
      GITHUB_REPOSITORY: 'homeport/homeport',
      PROBE_TENANT_ID: entra.tenantId,
      PROBE_CLIENT_ID: entra.clientId,
    }
    return startNode(['test/real/real.ts', '--probes', '--issue'], env, { cwd: root }).ended
  }
  const proxyUrl = await listen(proxy)
  const first = await run()
  expect(first.stderr).toBe('')
  expect(asked).toHaveLength(questions.length)
  expect(first.stdout).toMatch(/^same {6}Graph: \/me without a token: observed is now \d{4}-\d\d-\d\d$/m)
  expect(first.stdout).toMatch(/^differs {3}link: https:\/\/nodejs\.org/m)
  expect(first.stdout).toMatch(/^Opened issue 1: The real services answer otherwise/m)
  expect(first.status).toBe(1)
  sandbox.control.setFaults([
    { match: { service: 'graph' }, answer: { kind: 'errors', status: 418, errors: [{ code: 'Teapot' }] } },
  ])
  expect((await run()).stdout).toMatch(/^Edited issue 1, which is about these answers\.$/m)
  const [issue, ...others] = stateOf(sandbox.control).github.issues
  expect(issue?.body).toMatch(/differs {3}Graph[\s\S]*InvalidAuthenticationToken[\s\S]*418 \["Teapot"\]/)
  expect(issue?.body).not.toContain(entra.tenantId)
  expect(others).toEqual([])
  proxy.close()
})

it('the table of probes has every link that a message prints', () => {
  const files = execFileSync('git', ['ls-files', 'action', 'lib', 'push', 'src', 'infra', 'tools'], {
    cwd: root,
    encoding: 'utf8',
  })
  const own =
    /\/\/(?:[\w-]+\.)*(?:example|OWNER|127|localhost)|\.example\b|microsoftonline|chinacloudapi|\/\/graph\.|\/\/dod-graph|\/\/api\.|token\.actions/
  const found = files
    .trim()
    .split('\n')
    .filter(file => file.endsWith('.ts') && !file.includes('/dist/'))
    .flatMap(file => readFileSync(join(root, file), 'utf8').split('\n'))
    .filter(line => !/^\s*(?:\/?\*|\/\/)/.test(line))
    .flatMap(line => line.match(/https:\/\/[\w./-]+[\w/]/g) ?? [])
    .filter(url => !own.test(url))
  const known: readonly string[] = [...links, ...defaultEchoUrls.A, ...defaultEchoUrls.AAAA, ...resolvers]
  expect([...new Set(found)].filter(url => !known.includes(url))).toEqual([])
})
