import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createAgents } from '../../lib/agent.ts'
import { CommandError } from '../../lib/command.ts'
import type { HttpRequest } from '../../lib/exchange.ts'
import { createNodeExchange } from '../../lib/node-exchange.ts'
import { listen } from '../support/listen.ts'
import { type Accounts, prefix } from './accounts.ts'
import { type Answer, readAnswer } from './answer.ts'
import { createMask, type Known, leakIn } from './mask.ts'

export const services = ['cloudflare', 'github', 'entra', 'graph'] as const
type Service = (typeof services)[number]

/** A request and its answer. In a recording, all that is somebody's is a placeholder. */
export interface Exchange {
  readonly service: Service
  /** Method and path. */
  readonly request: string
  readonly headers: Readonly<Record<string, string>>
  readonly sent: string
  readonly answer: Answer
}

export interface Recording {
  readonly name: string
  /** The day, in ISO 8601. */
  readonly recorded: string
  readonly exchanges: readonly Exchange[]
}

/** Sends a request once, and follows no redirect. */
export function exchange(request: Pick<HttpRequest, 'url'> & Partial<HttpRequest>) {
  const limits = { timeoutMs: 30_000, maxBytes: 4 * 1024 * 1024 }
  return createNodeExchange({}, createAgents({}))({ method: 'GET', headers: {}, ...limits, ...request })
}

/** Returns the roots of accounts' services, without a slash; empty if there are none. */
export const rootsOf = ({ cloudflare, github, entra }: Accounts): Readonly<Record<Service, string>> => ({
  cloudflare: cloudflare.apiUrl.replace(/\/client\/v4$/, ''),
  github: github?.baseUrl.slice(0, -1) ?? '',
  entra: entra?.instance.slice(0, -1) ?? '',
  graph: entra?.graphUrl ?? '',
})

/** Starts a recorder on loopback before a service, which passes requests on, and notes what was said. */
async function startRecorder(service: Service, root: string, said: Exchange[]) {
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '', headers: all } = request
    const given = ['authorization', 'content-type', 'accept', 'user-agent'].map(name => [name, all[name]])
    const headers = Object.fromEntries(given.filter(([, value]) => value !== undefined))
    const sent = await text(request)
    const asked = { method: method as 'GET', url: root + url, headers, body: sent || undefined }
    const outcome = await exchange(asked)
    said.push({ service, request: `${method} ${url}`, headers, sent, answer: readAnswer(outcome) })
    if (outcome.kind === 'failure') return void response.destroy()
    for (const name of ['content-type', 'location', 'retry-after'])
      response.setHeader(name, outcome.header(name) ?? '')
    response.writeHead(outcome.status).end(outcome.body)
  })
  return { url: await listen(server), close: () => void server.close().closeAllConnections() }
}

/** Puts recorders before accounts. `roots` are theirs, and `accounts` leads to Cloudflare and GitHub through them. */
export async function record(given: Accounts) {
  const said: Exchange[] = []
  const [from, to] = [rootsOf(given), rootsOf(given) as Record<Service, string>]
  const recorders = await Promise.all(services.map(service => startRecorder(service, from[service], said)))
  for (const [index, service] of services.entries()) to[service] = recorders[index]?.url ?? ''
  const accounts: Accounts = {
    ...given,
    cloudflare: { ...given.cloudflare, apiUrl: `${to.cloudflare}/client/v4` },
    ...(given.github && { github: { ...given.github, baseUrl: `${to.github}/` } }),
  }
  return {
    said,
    accounts,
    roots: to,
    close() {
      for (const one of recorders) one.close()
    },
  }
}

/** A token that exists nowhere. */
const unknownToken = `${prefix}-token-that-does-not-exist`

/** Returns what accounts have, by the names of placeholders. */
export const namesIn = ({ cloudflare: at, narrowToken = '', entra, github }: Accounts): Known => ({
  token: at.adminToken,
  'narrow token': narrowToken,
  'unknown token': unknownToken,
  ...(github && { 'GitHub token': github.token, repository: `${github.owner}/${github.repository}` }),
  ...(entra && { tenant: entra.tenantId, client: entra.clientId ?? '' }),
  ...(entra && { login: new URL(entra.instance).origin, graph: new URL(entra.graphUrl).host }),
  ...(entra && { 'client secret': entra.clientSecret ?? '' }),
  ...(entra && { 'deployer secret': entra.deployer.clientSecret }),
  zone: at.zoneId,
  account: at.accountId,
  'zone name': at.zoneName,
})

/** Writes a recording, masked. @throws CommandError if something of somebody is left, and writes nothing */
export async function writeRecording(
  folder: string,
  { name, exchanges }: Omit<Recording, 'recorded'>,
  known: Known,
  mask = createMask(known),
): Promise<void> {
  const recorded = new Date().toISOString().slice(0, 10)
  const masked = `${JSON.stringify({ name, recorded, exchanges: mask(exchanges) }, null, 2)}\n`
  const leak = leakIn(masked, known)
  if (leak) throw new CommandError(`The recording "${name}" is not written: it still has ${leak}.`)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name.replaceAll(/\W+/g, '-')}.json`), masked)
}
