import type { IncomingMessage, ServerResponse } from 'node:http'
import { readLimits } from '../cloudflare/limits.ts'
import { readEchoAnswers } from '../echo/echo.ts'
import { formatInstant } from '../http/clock.ts'
import { readFaults } from '../http/faults.ts'
import { type HttpServer, readBody, serveHttp, splitTarget } from '../http/server.ts'
import { readInstant, readInteger, readObject, ValidationError } from '../http/validation.ts'
import { type Controlled, putState, stateOf } from './state.ts'

type Reply = { readonly status: number; readonly body: unknown }

const refusal = (status: number, error: string): Reply => ({ status, body: { error } })
const done: Reply = { status: 200, body: { ok: true } }
const longestAdvanceMs = 100 * 365 * 24 * 3600 * 1000

const putClock = ({ clock }: Controlled, value: unknown): Reply => {
  const { now, advanceMs } = readObject(value, 'The body', ['now', 'advanceMs'])
  if ((now === undefined) === (advanceMs === undefined)) {
    throw new ValidationError('The body must have either "now" (an instant) or "advanceMs" (milliseconds).')
  }
  if (now !== undefined) clock.set(readInstant(now, 'now'))
  else clock.advance(readInteger(advanceMs, 'advanceMs', -longestAdvanceMs, longestAdvanceMs))
  return { status: 200, body: { now: formatInstant(clock.now()) } }
}

type Operation = (controlled: Controlled, body: unknown) => Reply

const operations: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  '/journal': {
    GET: ({ journal }) => ({ status: 200, body: { entries: journal.entries() } }),
    DELETE: ({ journal }) => {
      journal.empty()
      return done
    },
  },
  '/echo': {
    PUT: (controlled, body) => {
      controlled.echo = readEchoAnswers(body, controlled.echo)
      return done
    },
  },
  '/faults': {
    PUT: ({ faults }, body) => {
      faults.replace(readFaults(readObject(body, 'The body', ['faults'])['faults']))
      return done
    },
  },
  '/console': { GET: ({ runtime }) => ({ status: 200, body: { lines: runtime.console() } }) },
  '/clock': { PUT: putClock },
  '/limits': {
    GET: ({ limits }) => ({ status: 200, body: { enforce: limits.enforced() } }),
    PUT: ({ limits, clock }, body) => {
      const { enforce, used } = readLimits(body)
      limits.begin(enforce, used, clock.now())
      return done
    },
  },
  '/state': {
    GET: controlled => ({ status: 200, body: stateOf(controlled) }),
    PUT: (controlled, body) => {
      putState(controlled, body)
      return done
    },
  },
}

const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i

/**
 * Refuses what a web page elsewhere could make a browser send: a name that was rebound to loopback shows in Host, a
 * request across sites in Origin.
 */
const refuseStrangers = ({ headers: { host, origin } }: IncomingMessage): Reply | undefined => {
  if (!loopbackHost.test(host ?? '')) {
    return refusal(403, `Only loopback hosts are answered, not "${host ?? ''}". Use http://127.0.0.1:<port>.`)
  }
  if (origin === undefined || loopbackHost.test(origin.replace(/^https?:\/\//, ''))) return undefined
  return refusal(403, `Requests of pages from elsewhere ("${origin}") are not answered.`)
}

const operate = async (controlled: Controlled, request: IncomingMessage): Promise<Reply> => {
  const stranger = refuseStrangers(request)
  if (stranger) return stranger
  const { path } = splitTarget(request.url ?? '/')
  const methods = Object.hasOwn(operations, path) ? operations[path] : undefined
  if (methods === undefined) {
    return refusal(404, `Nothing is at ${path}. There are ${Object.keys(operations).join(', ')}.`)
  }
  const method = request.method ?? ''
  const operation = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (operation === undefined) {
    return refusal(405, `${path} does not know ${method}, only ${Object.keys(methods).join(', ')}.`)
  }
  const body = await readBody(request)
  if (body.kind === 'oversized') return refusal(413, 'The body is larger than 1 MiB. Send it in parts.')
  try {
    return operation(controlled, body.kind === 'text' ? JSON.parse(body.text) : undefined)
  } catch (error) {
    if (error instanceof ValidationError) return refusal(400, error.message)
    if (error instanceof SyntaxError) return refusal(400, `The body must be JSON: ${error.message}.`)
    throw error
  }
}

const handle = async (
  controlled: Controlled,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { status, body } = await operate(controlled, request)
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`)
}

/** Serves the test control. @throws ListenError */
export const startControl = (controlled: Controlled, port: number): Promise<HttpServer> =>
  serveHttp('control', port, (request, response) => handle(controlled, request, response))
