import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import sodium from 'libsodium-wrappers'
import { readBody, serveHttp, splitTarget } from '../http/server.ts'
import { failed, type GitHubAnswer } from './answer.ts'
import { Repository } from './repository.ts'
import { gitHubAnswer } from './routes.ts'

export interface GitHubOptions {
  /** 0 and absent mean any free port. */
  readonly port?: number
  /** Follows from a seed where the caller has one. */
  readonly token: string
}

/** What a client is configured with. */
export interface GitHubDescription {
  /** Root of the interface, with a slash at its end, as the provider wants it. */
  readonly baseUrl: string
  readonly owner: string
  readonly repository: string
  /** May write secrets, variables and environments of the repository. */
  readonly token: string
}

/** One failure in place of an answer; nothing is carried out. */
export interface GitHubFault {
  readonly method?: string
  /** Only requests whose path ends so. */
  readonly pathEnd?: string
  readonly status: number
  /** So many requests are met. Default 1. */
  readonly times?: number
}

/** One request that arrived; bodies are not kept, since they hold what is to become secret. */
export interface GitHubRequest {
  readonly method: string
  readonly path: string
  readonly status: number
}

/** A running stand-in for the part of GitHub's interface that hands secrets and variables to workflows. */
export interface GitHub {
  readonly description: GitHubDescription
  readonly repository: Repository
  readonly requests: readonly GitHubRequest[]
  /** Empties the list of requests. */
  forget(): void
  /** Puts these faults in the place of all. */
  setFaults(faults: readonly GitHubFault[]): void
  close(): Promise<void>
}

const owner = 'homeport'
const repositoryName = 'homeport'
const repositoryId = 100_001
const mostRequests = 10_000

const isToken = (authorization: string | undefined, token: string): GitHubAnswer | undefined => {
  const [, given] = /^(?:Bearer|token) +(\S+)$/i.exec(authorization ?? '') ?? []
  if (given === undefined) return failed(401, 'Requires authentication')
  const [one, other] = [Buffer.from(given), Buffer.from(token)]
  return one.length === other.length && timingSafeEqual(one, other)
    ? undefined
    : failed(401, 'Bad credentials')
}

const parse = (text: string): Readonly<Record<string, unknown>> | undefined => {
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const segmentsOf = (path: string): string[] | undefined => {
  try {
    return path
      .replace(/^\/api\/v3(?=\/)/, '')
      .split('/')
      .slice(1)
      .map(decodeURIComponent)
  } catch {
    return undefined
  }
}

/** Starts the stand-in on loopback, with one repository. @throws ListenError */
export const startGitHub = async ({ port = 0, token }: GitHubOptions): Promise<GitHub> => {
  await sodium.ready
  const repository = new Repository(repositoryId, owner, repositoryName)
  const requests: GitHubRequest[] = []
  let faults: { fault: GitHubFault; times: number }[] = []

  const faultFor = (method: string, path: string): GitHubFault | undefined => {
    const met = faults.find(
      ({ fault, times }) =>
        times > 0 &&
        (fault.method ?? method) === method &&
        (fault.pathEnd === undefined || path.endsWith(fault.pathEnd)),
    )
    if (met) met.times -= 1
    return met?.fault
  }
  const answerTo = async (request: IncomingMessage): Promise<GitHubAnswer> => {
    const { path } = splitTarget(request.url ?? '/')
    const method = request.method ?? ''
    const body = await readBody(request)
    const fault = faultFor(method, path)
    if (fault) return failed(fault.status, 'This failure was asked for.')
    const stranger = isToken(request.headers.authorization, token)
    if (stranger) return stranger
    const sent = body.kind === 'text' ? parse(body.text) : {}
    const segments = segmentsOf(path)
    if (sent === undefined || segments === undefined) return failed(400, 'Problems parsing JSON')
    return gitHubAnswer([repository], { method, segments, sent, now: new Date().toISOString() })
  }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, value } = await answerTo(request)
    requests.push({ method: request.method ?? '', path: splitTarget(request.url ?? '/').path, status })
    if (requests.length > mostRequests) requests.shift()
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    response.end(value === undefined ? undefined : JSON.stringify(value))
  }
  const server = await serveHttp('github', port, handle)
  return {
    description: { baseUrl: `${server.url}/`, owner, repository: repositoryName, token },
    repository,
    requests,
    forget: () => {
      requests.length = 0
    },
    setFaults: wanted => {
      faults = wanted.map(fault => ({ fault, times: fault.times ?? 1 }))
    },
    close: server.close,
  }
}
