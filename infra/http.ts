import type { Agent, IncomingHttpHeaders } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { createAgent } from '../lib/agent.ts'
import { explainCertificate } from '../lib/certificate.ts'
import { frontAdvice, isFromFront } from '../lib/in-front.ts'
import { type NodeResponse, sendRequest } from '../lib/request.ts'
import { parseSafeUrl } from '../lib/url.ts'
import { Refusal } from './command.ts'

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
  | { readonly status: number; readonly body: unknown; readonly headers: IncomingHttpHeaders }
  /** `isFinal` if nothing could be sent, or a redirect was refused: a repetition would end alike. */
  | { readonly status: null; readonly problem: string; readonly isFinal?: boolean }

/** Names what went wrong, in words that follow a colon. @param service who answered */
export const reasonOf = (answer: HttpAnswer, service = 'Cloudflare'): string =>
  answer.status === null ? answer.problem : `${service} answered ${answer.status}`

const timeoutMs = 20_000
const maxBytes = 4 * 1024 * 1024
const attempts = 3
const firstPauseMs = 500

/** Returns a base URL without a final slash. @throws Refusal if a token sent there could be read on the way */
export function requireSafeUrl(text: string, setting: string): string {
  if (parseSafeUrl(text)) return text.replace(/\/+$/, '')
  throw new Refusal(`${setting} is not an https URL. Only loopback addresses may use http.`)
}

/** Sends a request and reads its JSON answer. Repeats a request other than POST that was not answered, or answered with 429 or 5xx. */
export async function exchange(url: string, request: HttpRequest): Promise<HttpAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await once(url, request)
    const transient = answer.status === null ? !answer.isFinal : answer.status === 429 || answer.status >= 500
    if (!transient || attempt === attempts || request.method === 'POST') return answer
    await pause(firstPauseMs * attempt)
  }
}

/** One for each origin. It keeps no connection open, since the program asks each service a few times at most. */
const agents = new Map<string, Agent>()

async function once(
  url: string,
  { method = 'GET', headers: sent, json, form, answer = 'json' }: HttpRequest,
): Promise<HttpAnswer> {
  const { origin } = new URL(url)
  const agent = agents.get(origin) ?? createAgent(new URL(url), {}, process.env)
  agents.set(origin, agent)
  const outcome = await sendRequest(url, {
    method,
    headers: {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...sent,
    },
    body: json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json),
    agent,
    timeoutMs,
    maxBytes,
  })
  if (outcome.kind === 'failure') return { status: null, ...failureOf(outcome) }
  const { status, headers, text } = outcome
  // The token must not reach another host.
  if (status >= 300 && status < 400)
    return { status: null, problem: `the request was redirected (${status})`, isFinal: true }
  if (isFromFront(status, name => headers[name]?.toString(), text))
    return { status: null, problem: `${status} with a web page. ${frontAdvice}`, isFinal: true }
  try {
    const body = answer === 'json' ? parse(text) : await firstPart(text, headers['content-type'] ?? null)
    return { status, body, headers }
  } catch {
    return { status: null, problem: 'the answer was cut off' }
  }
}

/** Names what failed, and whether it would fail again. The message of an error may quote a header, and with it the token. */
function failureOf({ failure, cause }: Extract<NodeResponse, { kind: 'failure' }>) {
  if (failure === 'timeout') return { problem: `no answer in ${timeoutMs / 1000} s` }
  if (failure === 'too-large') return { problem: `the answer has more than ${maxBytes} bytes` }
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'closed'
  if (code === 'ERR_INVALID_CHAR')
    return { problem: 'the request could not be sent; check the token for line breaks', isFinal: true }
  const certificate = explainCertificate(code)
  return certificate
    ? { problem: `${certificate.detail}. ${certificate.fix}`, isFinal: true }
    : { problem: `no answer (${code})` }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Returns the text of the first part of a form; null if it is none. A script without modules is plain text. */
async function firstPart(text: string, type: string | null): Promise<string | null> {
  if (!type?.startsWith('multipart/')) return text
  const form = await new Response(text, { headers: { 'content-type': type } }).formData()
  const [part] = [...form.values()]
  return typeof part === 'string' ? part : ((await part?.text()) ?? null)
}
