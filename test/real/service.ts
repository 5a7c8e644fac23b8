import { createServer } from 'node:http'
import { listen } from '../support/listen.ts'

/** A service that the scenarios run against. */
export interface Service {
  /** Ends in `/client/v4`. */
  readonly apiUrl: string
  readonly zoneId: string
  readonly token: string
  /** A token with DNS Edit on the zone that may not list zones. */
  readonly narrowToken?: string | undefined
}

type Mask = (text: string) => string

/** A request and its answer, without ids, times, names and secrets of one service. */
export interface Exchange {
  readonly request: string
  readonly status: number
  readonly body: unknown
}

/** Returns the JSON of a text, or the text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The longest wait for an answer, in milliseconds. */
const timeoutMs = 30_000

/**
 * Sends a request to a service and returns its status and text.
 * @throws Error if there is no answer
 */
export async function ask(
  apiUrl: string,
  path: string,
  { token, method = 'GET', body }: { token?: string; method?: string; body?: string | undefined } = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    headers,
    body: body ?? null,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  })
  return { status: response.status, text: await response.text() }
}

/** Passes requests on to a service, and keeps what was said. */
export type Recorder = Awaited<ReturnType<typeof startRecorder>>

/** Starts a recorder on loopback before a service. */
export async function startRecorder(apiUrl: string, mask: Mask) {
  const said: Exchange[] = []
  const note = (request: string, status: number, text: string) =>
    said.push({ request: mask(request), status, body: parsed(mask(text)) })
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = chunks.length > 0 ? Buffer.concat(chunks).toString() : undefined
    const path = (request.url ?? '').replace(/^\/client\/v4/, '')
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    const asked = `${request.method} ${path}`
    try {
      const { status, text } = await ask(apiUrl, path, { token, method: request.method ?? 'GET', body })
      note(body ? `${asked} ${body}` : asked, status, text)
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    } catch (error) {
      note(asked, 0, String(error))
      response.destroy()
    }
  })
  return {
    /** The base URL for the updater. */
    url: await listen(server),
    /** Returns what was said since the last call. */
    take: () => said.splice(0),
    close: () => void server.close(),
  }
}

/**
 * Returns a function that replaces what differs between two services without meaning: ids in the order in which they appear,
 * times, the names of this run, and secrets.
 */
export function maskOf(known: Readonly<Record<string, string>>): Mask {
  const ids = new Map<string, string>()
  const values = Object.entries(known).filter(([, value]) => value !== '')
  return text => {
    let masked = text
    for (const [name, value] of values) masked = masked.replaceAll(value, `<${name}>`)
    return masked
      .replaceAll(/\b[0-9a-f]{32}\b/g, id => ids.get(id) ?? ids.set(id, `<id ${ids.size + 1}>`).get(id) ?? '')
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
  }
}

/** Returns each value in which two JSON values differ, as `PATH: the first instead of the second`. */
export function differences(first: unknown, second: unknown, path = ''): string[] {
  const isTree = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null
  if (isTree(first) && isTree(second)) {
    const keys = [...new Set([...Object.keys(first), ...Object.keys(second)])]
    return keys.flatMap(key => differences(first[key], second[key], `${path}/${key}`))
  }
  if (first === second) return []
  const shown = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200))
  return [`${path || '/'}: ${shown(first)} instead of ${shown(second)}`]
}
