import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { createAgents } from '../../lib/agent.ts'
import type { HttpRequest } from '../../lib/exchange.ts'
import { createNodeExchange } from '../../lib/node-exchange.ts'
import type { Accounts } from './accounts.ts'
import { type Answer, readAnswer } from './answer.ts'
import { listen } from './listen.ts'

/** A request and its answer. In a recording, all that is somebody's is a placeholder. */
export interface Exchange {
  readonly service: string
  /** Method and path. */
  readonly request: string
  readonly headers: Readonly<Record<string, string>>
  readonly sent: string
  readonly answer: Answer
}

/** Sends a request once, and follows no redirect. */
export function exchange(request: Pick<HttpRequest, 'url'> & Partial<HttpRequest>) {
  const limits = { timeoutMs: 30_000, maxBytes: 4 * 1024 * 1024 }
  return createNodeExchange({}, createAgents({}))({ method: 'GET', headers: {}, ...limits, ...request })
}

/** Starts a recorder on loopback before a service, which passes requests on, and notes what was said. */
export async function startRecorder(service: string, root: string, said: Exchange[]) {
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

/** Puts recorders before accounts. `roots` are theirs by service, `accounts` leads to Cloudflare and GitHub through them. */
export async function record(accounts: Accounts) {
  const { cloudflare, github, entra } = accounts
  const said: Exchange[] = []
  const start = (name: string, url = '') => startRecorder(name, url.replace(/\/(?:client\/v4)?$/, ''), said)
  const recorders = {
    ...{
      cloudflare: await start('cloudflare', cloudflare.apiUrl),
      github: await start('github', github?.baseUrl),
    },
    ...{ entra: await start('entra', entra?.instance), graph: await start('graph', entra?.graphUrl) },
  }
  return {
    said,
    accounts: {
      ...{ ...accounts, cloudflare: { ...cloudflare, apiUrl: `${recorders.cloudflare.url}/client/v4` } },
      ...(github && { github: { ...github, baseUrl: `${recorders.github.url}/` } }),
    },
    roots: { entra: recorders.entra.url, graph: recorders.graph.url },
    close() {
      for (const { close } of Object.values(recorders)) close()
    },
  }
}
