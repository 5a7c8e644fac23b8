import {
  type JsonObject,
  readArray,
  readBoolean,
  readHeaders,
  readInteger,
  readObject,
  readOneOf,
  readString,
  ShapeError,
} from './shape.ts'

/** The services whose answers a fault can take the place of. */
export const faultyServices = ['cloudflare', 'workers', 'doh', 'echo'] as const

export type FaultyService = (typeof faultyServices)[number]

/** Which requests a fault meets; what is left out meets all. */
export type FaultMatch = {
  readonly service?: FaultyService
  /** Which of the echoes or of the resolvers over HTTPS, from 0. */
  readonly instance?: number
  readonly method?: string
  /** Source of a regular expression, found anywhere in the path (which has no query). */
  readonly path?: string
}

/** What the client meets instead of the real answer. */
export type FaultAnswer =
  /** Exactly this. The body is sent as it stands, with its length. */
  | {
      readonly kind: 'respond'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  /** The DNS service's envelope around these errors, in the error form in force. */
  | {
      readonly kind: 'errors'
      readonly status: number
      readonly errors: readonly { readonly code: number; readonly message: string }[]
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The real answer's head and so many bytes of its body, then the end of the connection. */
  | { readonly kind: 'cut'; readonly after: number }
  /** Silence until the client leaves: before the status line, or behind it and so many bytes of the body. */
  | { readonly kind: 'stall'; readonly at: 'before-headers' | 'after-headers'; readonly after?: number }
  /** The real answer's body, one byte at a time. */
  | { readonly kind: 'drip'; readonly everyMs: number }
  /** A TCP reset before anything is sent. */
  | { readonly kind: 'reset' }
  /** The real answer, still valid, grown to so many bytes. */
  | { readonly kind: 'oversize'; readonly bytes: number }
  /** The real answer with these fields of its result, or of each of its results, overwritten. */
  | { readonly kind: 'alter'; readonly result: JsonObject }

/** One fault, as `PUT /faults` of `control` takes it. */
export type Fault = {
  readonly match: FaultMatch
  /** So many matching requests pass unharmed first. Default 0. */
  readonly skip?: number
  /** So many are met, null for all. Default 1. */
  readonly times?: number | null
  /** Whether the operation is carried out all the same. Default false. */
  readonly commit?: boolean
  readonly answer: FaultAnswer
}

/** What is compared with a fault's match. */
type Asked = Required<Pick<FaultMatch, 'service' | 'method' | 'path'>> & { readonly instance?: number }

const kinds = ['respond', 'errors', 'cut', 'stall', 'drip', 'reset', 'oversize', 'alter'] as const
const largest = 64 * 1024 * 1024

const readStatus = (value: unknown, where: string): number => readInteger(value, where, 200, 599)

const readAnswer = (value: unknown, where: string): FaultAnswer => {
  const kind = readOneOf(readObject(value, where)['kind'], `${where}.kind`, kinds)
  const fields = (...known: string[]) => readObject(value, where, ['kind', ...known])
  switch (kind) {
    case 'respond': {
      const { status, headers, body } = fields('status', 'headers', 'body')
      return {
        kind,
        status: readStatus(status, `${where}.status`),
        headers: readHeaders(headers ?? {}, `${where}.headers`),
        body: readString(body ?? '', `${where}.body`),
      }
    }
    case 'errors': {
      const { status, errors, headers } = fields('status', 'errors', 'headers')
      return {
        kind,
        status: readStatus(status, `${where}.status`),
        errors: readArray(errors, `${where}.errors`).map((error, at) => {
          const { code, message } = readObject(error, `${where}.errors[${at}]`, ['code', 'message'])
          return {
            code: readInteger(code, `${where}.errors[${at}].code`, 0, 999_999),
            message: readString(message, `${where}.errors[${at}].message`),
          }
        }),
        headers: readHeaders(headers ?? {}, `${where}.headers`),
      }
    }
    case 'cut':
      return { kind, after: readInteger(fields('after')['after'], `${where}.after`, 0, largest) }
    case 'stall': {
      const { at, after } = fields('at', 'after')
      return {
        kind,
        at: readOneOf(at, `${where}.at`, ['before-headers', 'after-headers'] as const),
        after: readInteger(after ?? 0, `${where}.after`, 0, largest),
      }
    }
    case 'drip':
      return { kind, everyMs: readInteger(fields('everyMs')['everyMs'], `${where}.everyMs`, 1, 60_000) }
    case 'reset':
      fields()
      return { kind }
    case 'oversize':
      return { kind, bytes: readInteger(fields('bytes')['bytes'], `${where}.bytes`, 1, largest) }
    case 'alter':
      return { kind, result: readObject(fields('result')['result'], `${where}.result`) }
  }
}

const readPattern = (value: unknown, where: string): string => {
  const source = readString(value, where)
  try {
    new RegExp(source)
    return source
  } catch (error) {
    throw new ShapeError(`${where} must be the source of a regular expression: ${(error as Error).message}.`)
  }
}

const readMatch = (value: unknown, where: string): FaultMatch => {
  const { service, instance, method, path } = readObject(value, where, [
    'service',
    'instance',
    'method',
    'path',
  ])
  return {
    service: readOneOf(service ?? 'cloudflare', `${where}.service`, faultyServices),
    ...(instance === undefined ? {} : { instance: readInteger(instance, `${where}.instance`, 0, 2) }),
    ...(method === undefined ? {} : { method: readString(method, `${where}.method`).toUpperCase() }),
    ...(path === undefined ? {} : { path: readPattern(path, `${where}.path`) }),
  }
}

/** Reads the list of `PUT /faults`, every default filled in. @throws ShapeError */
export const readFaults = (value: unknown): Fault[] =>
  readArray(value, 'faults').map((element, at) => {
    const where = `faults[${at}]`
    const { match, skip, times, commit, answer } = readObject(element, where, [
      'match',
      'skip',
      'times',
      'commit',
      'answer',
    ])
    return {
      match: readMatch(match, `${where}.match`),
      skip: readInteger(skip ?? 0, `${where}.skip`, 0, 1_000_000),
      times: times === null ? null : readInteger(times ?? 1, `${where}.times`, 1, 1_000_000),
      commit: readBoolean(commit ?? false, `${where}.commit`),
      answer: readAnswer(answer, `${where}.answer`),
    }
  })

const matches = (match: FaultMatch, request: Asked): boolean =>
  (match.service ?? 'cloudflare') === request.service &&
  (match.instance === undefined || match.instance === request.instance) &&
  (match.method === undefined || match.method === request.method) &&
  (match.path === undefined || new RegExp(match.path).test(request.path))

/** The faults in force and how often each was met. */
export class Faults {
  #waiting: { fault: Fault; skip: number; times: number }[] = []

  /** Puts these in the place of all. */
  replace(faults: readonly Fault[]): void {
    this.#waiting = faults.map(fault => ({
      fault,
      skip: fault.skip ?? 0,
      times: fault.times === null ? Number.POSITIVE_INFINITY : (fault.times ?? 1),
    }))
  }

  /** What is left: faults used up are gone, `skip` and `times` count what is still to come. */
  remaining(): Fault[] {
    return this.#waiting
      .filter(({ times }) => times > 0)
      .map(({ fault, skip, times }) => ({ ...fault, skip, times: Number.isFinite(times) ? times : null }))
  }

  /**
   * The fault that meets this request: the first that matches and is not used up. A fault that still skips counts the
   * request and lets the next one have it.
   */
  take(request: Asked): Fault | undefined {
    for (const waiting of this.#waiting) {
      if (waiting.times === 0 || !matches(waiting.fault.match, request)) continue
      if (waiting.skip > 0) {
        waiting.skip -= 1
        continue
      }
      waiting.times -= 1
      return waiting.fault
    }
    return undefined
  }
}
