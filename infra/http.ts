import { setTimeout as pause } from 'node:timers/promises'
import { parseSafeUrl } from '../lib/url.ts'
import { Refusal } from './program.ts'

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
  | { readonly status: number; readonly body: unknown; readonly headers: Headers }
  /** `isFinal` if nothing could be sent, or a redirect was refused: a repetition would end alike. */
  | { readonly status: null; readonly problem: string; readonly isFinal?: boolean }

/** Names what went wrong, in words that follow a colon. @param service who answered, such as `GitHub` */
export const reasonOf = (answer: HttpAnswer, service = 'the service'): string =>
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

async function once(
  url: string,
  { method = 'GET', headers: sent, json, form, answer = 'json' }: HttpRequest,
): Promise<HttpAnswer> {
  let isAnswered = false
  try {
    const response = await fetch(url, {
      method,
      headers: json === undefined ? sent : { ...sent, 'content-type': 'application/json' },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      // The token must not reach another host.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    isAnswered = true
    const { status, headers } = response
    const text = await readCapped(response)
    const body = answer === 'json' ? parse(text) : await firstPart(text, headers.get('content-type'))
    return { status, body, headers }
  } catch (error) {
    const problem = error instanceof Error ? failureOf(error) : 'the request failed'
    return { status: null, problem, isFinal: !isAnswered && isUnsendable(error) }
  }
}

/** Whether fetch could send nothing, or refused a redirect: it throws a TypeError, whose cause has no code. */
function isUnsendable(error: unknown): boolean {
  return error instanceof TypeError && !(error.cause instanceof Error && 'code' in error.cause)
}

/** Names what failed. A TypeError of fetch may quote a header, and with it the token. */
function failureOf({ name, message, cause }: Error): string {
  if (name === 'TimeoutError') return `no answer in ${timeoutMs / 1000} s`
  if (cause instanceof Error && 'code' in cause) return `no answer (${String(cause.code)})`
  return name === 'TypeError'
    ? 'the request failed, or was redirected; check the token for line breaks'
    : message
}

async function readCapped(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
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
