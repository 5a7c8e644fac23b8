/**
 * The operations that can be made to fail: the request that begins a sign-in, the one for a token, the one for the
 * profile, those about registrations.
 */
export type FaultPlace = 'authorize' | 'token' | 'me' | 'applications'

/** One fault. `setFaults` puts a list of them in force; the first that fits a request meets it. */
export interface EntraFault {
  readonly on: FaultPlace
  /** Only requests of this method. */
  readonly method?: string
  /** Only requests whose path ends so. */
  readonly pathEnd?: string
  /** So many requests are met, null for all. Default 1. */
  readonly times?: number | null
  /**
   * - `html503` a gateway's page in place of the service
   * - `json-cut` the real answer, half of it, with the length to match
   * - `status` the answer `status` (default 500), as text; with `error` or `code` in the service's own form (default the
   *   status that such an error has), and at `authorize`, unless `status` is given, as a redirect to the application
   * - `redirect` 302 to `location`
   * - `stall` silence; with `delayMs` the real answer so much later
   * - `drip` the real answer, one byte every `delayMs` (default 50)
   * - `wrong-iss` an `iss` of somebody else: at `authorize` in the redirect to the application, at `token` in an ID token
   * - `extra-scopes` a `scope` that lists more than was asked for, or what `scope` says
   * - `no-scope` no `scope`
   * - `throttle` 429 (or `status`) with Retry-After
   * - `reset` a TCP reset before anything is sent
   * - `ignore-verifier` codes are redeemed with any verifier and with none
   * - `oversize` the real answer, still valid, grown to four megabytes
   * - `not-json` a page with status 200 where JSON is due
   */
  readonly kind:
    | 'html503'
    | 'json-cut'
    | 'status'
    | 'redirect'
    | 'stall'
    | 'drip'
    | 'wrong-iss'
    | 'extra-scopes'
    | 'no-scope'
    | 'throttle'
    | 'reset'
    | 'ignore-verifier'
    | 'oversize'
    | 'not-json'
  readonly status?: number
  /** Value of Retry-After for `throttle` (default `1`) and `status` (default none). */
  readonly retryAfter?: string
  /** Target of `redirect`. Default: a path of the same origin where nothing is. */
  readonly location?: string
  /** The error of `status`: an OAuth error, or the directory API's code. */
  readonly error?: string
  /** The AADSTS number of `status` and `throttle`. */
  readonly code?: number
  readonly delayMs?: number
  /** What `extra-scopes` lists. */
  readonly scope?: string
  /** Whether the operation is carried out although its answer is replaced. Default false. */
  readonly commit?: boolean
}

export type FaultKind = EntraFault['kind']

const everywhere: readonly FaultPlace[] = ['authorize', 'token', 'me', 'applications']

const places: Readonly<Record<FaultKind, readonly FaultPlace[]>> = {
  html503: everywhere,
  'json-cut': ['token', 'me'],
  status: everywhere,
  redirect: everywhere,
  stall: everywhere,
  drip: everywhere,
  'wrong-iss': ['authorize', 'token'],
  'extra-scopes': ['token'],
  'no-scope': ['token'],
  throttle: everywhere,
  reset: everywhere,
  'ignore-verifier': ['token'],
  oversize: ['token', 'me'],
  'not-json': ['token', 'me'],
}

const check = ({ on, kind, times, status, delayMs }: EntraFault): void => {
  if (!Object.hasOwn(places, kind)) throw new TypeError(`There is no fault "${kind}".`)
  if (!places[kind].includes(on)) {
    throw new TypeError(`The fault "${kind}" does not exist on "${on}", only on ${places[kind].join(', ')}.`)
  }
  const whole = (value: number | null | undefined, least: number, most: number) =>
    value === undefined || value === null || (Number.isInteger(value) && value >= least && value <= most)
  if (!whole(times, 1, 1_000_000)) throw new TypeError('times must be a whole number from 1, or null.')
  if (!whole(status, 200, 599)) throw new TypeError('status must be a whole number from 200 to 599.')
  if (!whole(delayMs, 0, 600_000)) throw new TypeError('delayMs must be a whole number from 0 to 600000.')
}

/** What of a request a fault may be narrowed to. */
export interface RequestHead {
  readonly method: string
  readonly path: string
}

const meets = (fault: EntraFault, on: FaultPlace, { method, path }: RequestHead): boolean =>
  fault.on === on &&
  (fault.method === undefined || fault.method === method) &&
  (fault.pathEnd === undefined || path.endsWith(fault.pathEnd))

/** The faults in force and how often each is still to be met. */
export class Faults {
  #waiting: { readonly fault: EntraFault; times: number }[] = []

  /** Puts these in the place of all. @throws TypeError when one cannot be; nothing has changed then */
  replace(faults: readonly EntraFault[]): void {
    for (const fault of faults) check(fault)
    this.#waiting = faults.map(fault => ({
      fault: { ...fault },
      times: fault.times === null ? Number.POSITIVE_INFINITY : (fault.times ?? 1),
    }))
  }

  /**
   * The fault that meets a request: the first on this operation that is not used up.
   * @param returning whether it is the redirect back to the application that is met: only there is an `iss`
   */
  take(on: FaultPlace, asked: RequestHead, returning = false): EntraFault | undefined {
    const waiting = this.#waiting.find(
      ({ fault, times }) =>
        times > 0 &&
        meets(fault, on, asked) &&
        (on !== 'authorize' || (fault.kind === 'wrong-iss') === returning),
    )
    if (waiting === undefined) return undefined
    waiting.times -= 1
    return waiting.fault
  }
}
