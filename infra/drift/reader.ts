import { malformedTokenCodes } from '../../lib/cloudflare.ts'
import { CommandError } from '../../lib/command.ts'
import { maxServerSecretBytes, readSecretFile } from '../../lib/secret-file.ts'
import { readGraphUrl } from '../../src/settings/clouds.ts'
import {
  connect,
  connectCloudflare,
  connectGitHub,
  exchange,
  graphTokenCommand,
  type HttpAnswer,
  isSendable,
  reasonOf,
  requireSafeUrl,
  resultOf,
  type Send,
} from '../http.ts'
import { fieldOf, listOf, textOf } from '../json.ts'
import type { SignInSettings } from '../settings/stack-settings.ts'
import { Unread } from './difference.ts'

/**
 * Reads a service with GET. A failed read is never reported as absence: every function throws Unread, which names the subject
 * and the permission that its path needs.
 */
export interface Reader {
  /** Resolves to what is there; null if it does not exist. */
  one(path: string, subject: string, answer?: 'json' | 'module'): Promise<unknown>
  /** Resolves to a list, read to its end. */
  all(path: string, subject: string): Promise<readonly unknown[]>
}

/** What differs between the services. */
interface Service {
  readonly name: string
  /** Variable that has the token, what it must be able to read, and how to get a valid one. */
  readonly variable: string
  readonly access: string
  readonly renewal: string
  /** The permission for a path: that of the first pattern that matches. */
  readonly permissions: readonly (readonly [path: RegExp, permission: string])[]
  /** Returns what a successful answer is about, else null. */
  readonly valueIn: (answer: HttpAnswer) => unknown
  /** Returns a page of a list, else null. */
  readonly listIn: (answer: HttpAnswer) => unknown
  /** Returns the path of the first page, and of each next one; null after the last. */
  readonly pageOf: (path: string, page: number, last: HttpAnswer | null) => string | null
}

const bodyOf = (answer: HttpAnswer): unknown => (answer.status === 200 ? answer.body : null)

/** Returns the path of a page of a list that is numbered. */
function pathOfPage(path: string, page: number, perPage: number): string {
  return `${path}${path.includes('?') ? '&' : '?'}per_page=${perPage}&page=${page}`
}

const cloudflare: Service = {
  name: 'Cloudflare',
  variable: 'CLOUDFLARE_API_TOKEN',
  access: 'DNS, Workers scripts, Workers routes, D1 and API tokens',
  renewal: 'paste it again, or create another one',
  permissions: [
    [/\/dns_records/, 'DNS Read'],
    [/^\/user\/tokens/, 'API Tokens Read, as the person who owns mintingApiToken'],
    [/\/tokens/, 'Account API Tokens Read'],
    [/\/d1\//, 'D1 Read'],
    [/\/workers\/routes/, 'Workers Routes Read'],
    [/\/workers\//, 'Workers Scripts Read'],
  ],
  // The code of a Worker has no envelope.
  valueIn: answer => (typeof bodyOf(answer) === 'string' ? bodyOf(answer) : resultOf(answer)),
  listIn: resultOf,
  pageOf: (path, page, last) => {
    // Some lists have no pages.
    const isWhole = last && !fieldOf(bodyOf(last), 'result_info')
    return isWhole || (last && listOf(resultOf(last)).length < 50) ? null : pathOfPage(path, page, 50)
  },
}

const graph: Service = {
  name: 'Graph',
  variable: 'HOMEPORT_GRAPH_TOKEN',
  access: 'applications',
  renewal: graphTokenCommand,
  permissions: [[/^/, 'Application.Read.All']],
  valueIn: bodyOf,
  listIn: answer => fieldOf(bodyOf(answer), 'value'),
  pageOf: (path, _, last) => {
    if (last === null) return path
    // The token must not reach another host, so only the query of the link is used.
    const query = URL.parse(textOf(bodyOf(last), '@odata.nextLink') ?? '')?.search
    return query ? `${path.split('?', 1)[0]}${query}` : null
  },
}

/** GitHub lists issues bare, and workflows in a field. */
const gitHubList = (answer: HttpAnswer): unknown => fieldOf(bodyOf(answer), 'workflows') ?? bodyOf(answer)

const gitHub = (variable: string): Service => ({
  name: 'GitHub',
  variable,
  access: 'the repository',
  renewal: 'create another one',
  permissions: [
    [/\/environments\//, 'environments: read'],
    [/\/workflows/, 'actions: read'],
    [/\/issues/, 'issues: write'],
  ],
  valueIn: bodyOf,
  listIn: gitHubList,
  pageOf: (path, page, last) =>
    last && listOf(gitHubList(last)).length < 100 ? null : pathOfPage(path, page, 100),
})

const maxPages = 100

/** @param connected null without a token, so that every read says so */
function readerOf(service: Service, connected: Send | null): Reader {
  const send: Send = (path, request) => {
    if (connected) return connected(path, request)
    const set = `Set it to a token that can read ${service.access}.`
    throw new Unread(service.name, `${service.variable} is not set.`, set)
  }

  function unread(subject: string, path: string, answer: HttpAnswer): Unread {
    const codes = listOf(answer.status === null ? null : fieldOf(answer.body, 'errors'))
      .map(error => fieldOf(error, 'code'))
      .filter(code => typeof code === 'number')
    const reason = `${reasonOf(answer, service.name)}${codes.length === 0 ? '' : ` (${codes.join(', ')})`}.`
    return new Unread(subject, reason, fixFor(answer.status, codes, path))
  }

  /** A mistyped token gets 400, and one that does not exist 401, and in a zone of Cloudflare 403 with 9109, as one without the permission can. */
  function fixFor(status: number | null, codes: readonly unknown[], path: string): string {
    const { variable, renewal, permissions } = service
    const permission = permissions.find(([form]) => form.test(path))?.[1]
    const again = `The token in ${variable} is not valid: ${renewal}.`
    const give = path.includes('/tokens')
      ? `Use the reading token: ${variable}=$(cat secrets/reading-token) npm run -s drift. If it is that one, give it this permission: ${permission}.`
      : `Give the token in ${variable} this permission: ${permission}.`
    if (status === 401 || codes.some(code => malformedTokenCodes.includes(Number(code)))) return again
    const isUnsure = codes.includes(9109) && path.startsWith('/zones/')
    if (status === 403) return isUnsure ? `${give} If it has it: ${again}` : give
    return `Run npm run drift again. If this persists, check the status page of ${service.name}.`
  }

  return {
    async one(path, subject, answer = 'json') {
      const got = await send(path, { answer })
      if (got.status === 404) return null
      const value = service.valueIn(got)
      if (value === null) throw unread(subject, path, got)
      return value
    },
    async all(path, subject) {
      const all: unknown[] = []
      let next = service.pageOf(path, 1, null)
      for (let page = 1; next !== null; page += 1) {
        if (page > maxPages)
          throw new Unread(subject, `there are more than ${maxPages} pages.`, 'Delete what nobody uses.')
        const got = await send(next)
        const found = service.listIn(got)
        if (!Array.isArray(found)) throw unread(subject, path, got)
        all.push(...found)
        next = service.pageOf(path, page + 1, got)
      }
      return all
    },
  }
}

/** Returns a token that can be sent. @throws CommandError */
function requireSendable(token: string, variable: string): string {
  if (isSendable(token)) return token
  throw new CommandError(
    `${variable} has white space or a character that no token has. Store it again, on one line.`,
  )
}

/** @throws CommandError if the base URL is not safe, or the token cannot be sent */
export function cloudflareReader(apiUrl: string, token = ''): Reader {
  if (token === '') return readerOf(cloudflare, null)
  const apiToken = requireSendable(token, cloudflare.variable)
  return readerOf(cloudflare, connectCloudflare({ baseUrl: apiUrl, apiToken }))
}

/** @param variable that has the token. @throws CommandError if the base URL is not safe, or the token cannot be sent */
export function gitHubReader(env: NodeJS.ProcessEnv, variable: string): Reader {
  const token = env[variable]
  return readerOf(gitHub(variable), token ? connectGitHub(env, requireSendable(token, variable)) : null)
}

/**
 * Reads Microsoft Graph with the token in HOMEPORT_GRAPH_TOKEN, or with one that Entra issues for the run's own identity. Its
 * request is the only one of a comparison that is not a GET.
 */
export function graphReader({ handler }: SignInSettings, env: NodeJS.ProcessEnv): Reader {
  const { INSTANCE: instance = '', GRAPH_URL: given } = handler
  const standard = readGraphUrl('', instance)
  const root = requireSafeUrl(given ?? ('value' in standard ? standard.value : ''), 'graphUrl')
  let connected: Promise<Send> | undefined
  return readerOf(graph, async path => {
    connected ??= graphToken(root, instance, env).then(token => connect(`${root}/v1.0`, 'graphUrl', token))
    return (await connected)(path)
  })
}

/** Resolves to the given token, or to one in exchange for the token that GitHub issued to the run. @throws Unread */
async function graphToken(root: string, instance: string, env: NodeJS.ProcessEnv): Promise<string> {
  const {
    HOMEPORT_GRAPH_TOKEN: given,
    AZURE_FEDERATED_TOKEN_FILE: file,
    AZURE_TENANT_ID: tenant,
    AZURE_CLIENT_ID: client,
  } = env
  if (given) return given
  const set = `Set HOMEPORT_GRAPH_TOKEN: ${graphTokenCommand}`
  if (!file || !tenant || !client) throw new Unread('Entra', 'HOMEPORT_GRAPH_TOKEN is not set.', set)
  const assertion = readSecretFile(file, maxServerSecretBytes)
  if ('problem' in assertion)
    throw new Unread('Entra', `AZURE_FEDERATED_TOKEN_FILE names a file that ${assertion.problem}`, set)
  const url = `${requireSafeUrl(instance, 'instance')}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`
  const form = {
    grant_type: 'client_credentials',
    client_id: client,
    scope: `${root}/.default`,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion.value,
  }
  const answer = await exchange(url, { method: 'POST', headers: {}, form })
  const token = textOf(bodyOf(answer), 'access_token')
  if (token !== null) return token
  const fix =
    answer.status === null
      ? 'Run npm run drift again.'
      : 'Check the federated credential of the application: npm run bootstrap.'
  throw new Unread('Entra', `${reasonOf(answer, 'Entra')}.`, fix)
}
