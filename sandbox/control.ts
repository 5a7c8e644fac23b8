import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Clock, formatInstant } from './clock.ts'
import { type DuplicateCode, duplicateCodes, type ErrorForm, errorForms } from './cloudflare/errors.ts'
import type { Store } from './cloudflare/store.ts'
import { type EchoAnswer, readEchoAnswers } from './echo.ts'
import { type Faults, readFaults } from './faults.ts'
import { type HttpServer, readBody, serveHttp, splitTarget } from './http-server.ts'
import type { Journal } from './journal.ts'
import type { Generator } from './seed.ts'
import { readInstant, readInteger, readObject, readOneOf, ShapeError } from './shape.ts'
import { readContents } from './state.ts'
import type { WorkersRuntime } from './workers-runtime.ts'

/** What tests may read and change. */
export type Controlled = {
  readonly store: Store
  readonly clock: Clock
  readonly generator: Generator
  readonly journal: Journal
  readonly faults: Faults
  /** For what Workers wrote to their console. */
  readonly runtime: WorkersRuntime
  echo: readonly EchoAnswer[]
  errorForm: ErrorForm
  duplicateCode: DuplicateCode
}

type Reply = { readonly status: number; readonly body: unknown }

const refusal = (status: number, error: string): Reply => ({ status, body: { error } })
const done: Reply = { status: 200, body: { ok: true } }
const longestAdvanceMs = 100 * 365 * 24 * 3600 * 1000

const putClock = ({ clock }: Controlled, value: unknown): Reply => {
  const { now, advanceMs } = readObject(value, 'The body', ['now', 'advanceMs'])
  if ((now === undefined) === (advanceMs === undefined)) {
    throw new ShapeError('The body must have either "now" (an instant) or "advanceMs" (milliseconds).')
  }
  if (now !== undefined) clock.set(readInstant(now, 'now'))
  else clock.advance(readInteger(advanceMs, 'advanceMs', -longestAdvanceMs, longestAdvanceMs))
  return { status: 200, body: { now: formatInstant(clock.now()) } }
}

const getState = ({ store, echo, faults, errorForm, duplicateCode }: Controlled): Reply => ({
  status: 200,
  body: { ...store.contents(), echo, faults: faults.remaining(), errorForm, duplicateCode },
})

const readDuplicateCode = (value: unknown): DuplicateCode => {
  const code = duplicateCodes.find(known => known === value)
  if (code === undefined) {
    throw new ShapeError(`duplicateCode must be one of ${duplicateCodes.join(', ')}.`)
  }
  return code
}

/** Reads everything before it changes anything, so that a bad request leaves all as it was. */
const putState = (controlled: Controlled, value: unknown): Reply => {
  const { store, generator, clock } = controlled
  const body = readObject(value, 'The body', [
    'zones',
    'records',
    'tokens',
    'echo',
    'faults',
    'errorForm',
    'duplicateCode',
  ])
  const now = formatInstant(clock.now())
  const contents = readContents(body, { generator, now, present: store.contents() })
  const echo =
    body['echo'] === undefined ? undefined : readEchoAnswers({ answers: body['echo'] }, controlled.echo)
  const faults = body['faults'] === undefined ? undefined : readFaults(body['faults'])
  const errorForm =
    body['errorForm'] === undefined ? undefined : readOneOf(body['errorForm'], 'errorForm', errorForms)
  const duplicateCode =
    body['duplicateCode'] === undefined ? undefined : readDuplicateCode(body['duplicateCode'])
  store.replace(contents)
  if (echo) controlled.echo = echo
  if (faults) controlled.faults.replace(faults)
  if (errorForm) controlled.errorForm = errorForm
  if (duplicateCode) controlled.duplicateCode = duplicateCode
  return done
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
  '/state': { GET: getState, PUT: putState },
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
    if (error instanceof ShapeError) return refusal(400, error.message)
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
