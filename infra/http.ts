import { setTimeout as pause } from 'node:timers/promises'
import { createAgents } from '../lib/agent.ts'
import { readEnvelope } from '../lib/cloudflare.ts'
import { CommandError } from '../lib/command.ts'
import { explainFailure } from '../lib/exchange.ts'
import { frontAdvice } from '../lib/in-front.ts'
import { createNodeExchange } from '../lib/node-exchange.ts'
import { parseProxy, parseSafeUrl } from '../lib/url.ts'

export interface HttpRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH'
  readonly headers: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  /** `module`: the body is the text of the first part of a form. */
  readonly answer?: 'json' | 'module'
}

/** An answer with its parsed body (null if it is not what was asked for), or why there is none. */
export type HttpAnswer =
  | { readonly status: number; readonly body: unknown }
  /** `isFinal` if nothing could be sent, or a redirect was refused: a repetition would end alike. */
  | { readonly status: null; readonly problem: string; readonly isFinal?: boolean }

/** Returns what went wrong, in words that follow a colon. @param service who answered */
export const reasonOf = (answer: HttpAnswer, service = 'Cloudflare'): string =>
  answer.status === null ? answer.problem : `${service} answered ${answer.status}`

/** Returns the `result` of a successful answer of Cloudflare, else null. */
export function resultOf(answer: HttpAnswer): unknown {
  const envelope = answer.status === 200 ? readEnvelope(answer.body) : null
  return envelope?.success ? (envelope.result ?? null) : null
}

const timeoutMs = 20_000
const maxBytes = 4 * 1024 * 1024
const attempts = 3
const firstPauseMs = 500

/** Returns a base URL without a final slash. @throws CommandError if a token sent there could be read on the way */
export function requireSafeUrl(text: string, setting: string): string {
  if (parseSafeUrl(text)) return text.replace(/\/+$/, '')
  throw new CommandError(`${setting} is not an https URL. Only loopback addresses may use http.`)
}

/**
 * Sends a request and reads its JSON answer. Repeats a request other than POST that was not answered, or answered with 429 or 5xx.
 * @throws CommandError if it would bypass a proxy
 */
export async function exchange(url: string, request: HttpRequest): Promise<HttpAnswer> {
  const bypassed = url.startsWith('https:') && ['https_proxy', 'HTTPS_PROXY'].find(isMalformedProxy)
  if (bypassed)
    throw new CommandError(
      `${bypassed} is not the URL of an HTTP proxy, so requests could bypass it. Write it as http://host:port.`,
    )
  for (let attempt = 1; ; attempt += 1) {
    const answer = await once(url, request)
    const transient = answer.status === null ? !answer.isFinal : answer.status === 429 || answer.status >= 500
    if (!transient || attempt === attempts || request.method === 'POST') return answer
    await pause(firstPauseMs * attempt)
  }
}

/** Returns whether a token can be sent. A line break at its end, as some files have it, cannot. */
export const isSendable = (token: string): boolean => /^[\x21-\x7e]+$/.test(token)

/** Whether a variable names a proxy in a form that providers may know, and Node ignores or refuses. */
function isMalformedProxy(name: string): boolean {
  const value = process.env[name]
  return Boolean(value) && parseProxy(value ?? '') === null
}

/** Sends a request to a service, a GET by default. A path starts with a slash. */
export type Send = (
  path: string,
  request?: Pick<HttpRequest, 'method' | 'json' | 'answer'>,
) => Promise<HttpAnswer>

/**
 * Connects to a service.
 * @param setting that has the base URL
 * @throws CommandError if the base URL is not safe
 */
export function connect(url: string, setting: string, token: string): Send {
  const root = requireSafeUrl(url, setting)
  const headers = { authorization: `Bearer ${token}`, 'user-agent': 'homeport' }
  return (path, request) => exchange(`${root}${path}`, { ...request, headers })
}

/** Where a provider finds Cloudflare's API, and what it sends. */
export interface CloudflareAccess {
  readonly baseUrl: string
  /** Null if neither the stack nor the environment has one. */
  readonly apiToken: string | null
}

/** Connects to Cloudflare. @throws CommandError if a token sent there could be read on the way */
export const connectCloudflare = ({ baseUrl, apiToken }: CloudflareAccess): Send =>
  connect(baseUrl, 'The base URL of Cloudflare', apiToken ?? '')

/** Connects to GitHub's API. @throws CommandError if the base URL in the environment is not safe */
export const connectGitHub = ({ GITHUB_API_URL: url }: NodeJS.ProcessEnv, token: string): Send =>
  connect(url || 'https://api.github.com', 'GITHUB_API_URL', token)

/** The command that sets HOMEPORT_GRAPH_TOKEN. */
export const graphTokenCommand =
  'export HOMEPORT_GRAPH_TOKEN=$(az account get-access-token --resource-type ms-graph --query accessToken --output tsv)'

/** It keeps no connection open, since the program asks each service a few times at most. */
const send = createNodeExchange({}, createAgents({}, process.env))

async function once(
  url: string,
  { method = 'GET', headers: sent, json, form, answer = 'json' }: HttpRequest,
): Promise<HttpAnswer> {
  const outcome = await send({
    method,
    url,
    headers: {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...sent,
    },
    body: json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json),
    timeoutMs,
    maxBytes,
  })
  if (outcome.kind === 'failure')
    return { status: null, problem: explainFailure(outcome), isFinal: outcome.fix !== undefined }
  const { status, body, header } = outcome
  // The token must not reach another host.
  if (status >= 300 && status < 400)
    return { status: null, problem: `the request was redirected (${status})`, isFinal: true }
  if (outcome.isFromFront)
    return { status: null, problem: `${status} with a web page. ${frontAdvice}`, isFinal: true }
  try {
    return { status, body: answer === 'json' ? parse(body) : await firstPart(body, header('content-type')) }
  } catch {
    return { status: null, problem: 'the response was cut off' }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Returns the text of the first part of a form; null if it is not a form. A script without modules is plain text. */
async function firstPart(text: string, type: string | null): Promise<string | null> {
  if (!type?.startsWith('multipart/')) return text
  const form = await new Response(text, { headers: { 'content-type': type } }).formData()
  const [part] = [...form.values()]
  return typeof part === 'string' ? part : ((await part?.text()) ?? null)
}
