import { isObject } from '../http/validation.ts'
import { familyOfRoute } from './known-routes.ts'
import type { LedgerId } from './ledger/ledger.ts'

/** An error in a response. */
export interface ApiError {
  readonly code: number
  readonly message: string
  readonly error_chain?: readonly ApiError[]
  readonly source?: { readonly pointer: string }
}

/** The two observed forms of record errors: direct, or in the error_chain of a 1004. */
export type ErrorForm = 'flat' | 'chained'

export const errorForms: readonly ErrorForm[] = ['flat', 'chained']

/** The two observed codes for a duplicate record. */
export type DuplicateCode = 81057 | 81058

export const duplicateCodes: readonly DuplicateCode[] = [81057, 81058]

/** A refused request, and what every function here returns to say no. `ofRecord` marks record errors, which have two forms. */
export interface Refusal {
  readonly kind: 'refusal'
  readonly status: number
  readonly errors: readonly ApiError[]
  readonly ofRecord: boolean
  readonly cites: readonly LedgerId[]
}

/** Whether a result is a refusal. */
export const isRefusal = (result: unknown): result is Refusal =>
  isObject(result) && result['kind'] === 'refusal'

interface Known {
  readonly code: number
  readonly message: string
  readonly cites: LedgerId
}

/** The validation errors of records. */
const recordProblems = {
  aContent: {
    code: 9005,
    message: 'Content for A record must be a valid IPv4 address.',
    cites: 'error.9005',
  },
  aaaaContent: {
    code: 9006,
    message: 'Content for AAAA record must be a valid IPv6 address.',
    cites: 'error.9006',
  },
  cnameContent: { code: 9007, message: 'Content for CNAME record is invalid.', cites: 'error.9007' },
  mxContent: {
    code: 9009,
    message: 'Change the content of your MX record to be a hostname (and not an IP address).',
    cites: 'error.9009',
  },
  nsContent: { code: 9010, message: 'Content for NS record is invalid.', cites: 'error.9010' },
  name: { code: 9000, message: 'DNS name is invalid.', cites: 'error.9000' },
  type: { code: 9004, message: 'DNS record type is invalid.', cites: 'error.9004' },
  ttlRange: {
    code: 9021,
    message: 'TTL must be between 60 and 86400 seconds, or 1 for Automatic.',
    cites: 'error.9021',
  },
  ttlType: { code: 9022, message: 'TTL must be a number, not a string.', cites: 'error.9022' },
  proxied: { code: 9041, message: 'Invalid proxied mode. Record cannot be proxied', cites: 'error.9041' },
  dataMissing: { code: 9101, message: 'is a required data field.', cites: 'error.9101' },
  priority: { code: 9100, message: 'priority is a required field.', cites: 'error.9100' },
  body: { code: 9207, message: 'Request body is invalid.', cites: 'error.9207' },
  field: { code: 9207, message: 'Request body is invalid.', cites: 'error.9207.field' },
  hostTaken: {
    code: 81053,
    message: 'An A, AAAA, or CNAME record with that host already exists.',
    cites: 'error.81053',
  },
  cnameTaken: {
    code: 81054,
    message: 'A CNAME record with that host already exists.',
    cites: 'error.81054',
  },
  nsBesideOthers: {
    code: 81055,
    message: 'Records other than NS with that host already exist.',
    cites: 'error.81055',
  },
  nsTaken: { code: 81056, message: 'NS records with that host already exist.', cites: 'error.81056' },
  exists: { code: 81057, message: 'Record already exists.', cites: 'error.81057' },
  identical: { code: 81058, message: 'An identical record already exists.', cites: 'error.81058' },
  // The code is unknown; the service sends 0 for errors without a code (NewFuture/DDNS issue 155).
  readOnly: { code: 0, message: 'This record is read only.', cites: 'records.read-only' },
} as const satisfies Record<string, Known>

/** A validation error of a record, with a pointer to the field if the code does not identify it. */
export interface RecordProblem {
  readonly problem: keyof typeof recordProblems
  readonly pointer?: string
  /** The first word of the message, if it names a field. */
  readonly field?: string
}

/** Returns a refusal with the validation errors of a record. */
export const refuseRecord = (...problems: readonly RecordProblem[]): Refusal => ({
  kind: 'refusal',
  status: 400,
  errors: problems.map(({ problem, pointer, field }) => {
    const { code, message: text } = recordProblems[problem]
    const message = field === undefined ? text : `${field} ${text}`
    return pointer === undefined ? { code, message } : { code, message, source: { pointer } }
  }),
  ofRecord: true,
  cites: problems.map(({ problem }) => recordProblems[problem].cites),
})

/** The refusal for a record that does not exist. */
export const recordMissing: Refusal = {
  kind: 'refusal',
  status: 404,
  errors: [{ code: 81044, message: 'Record does not exist.' }],
  ofRecord: true,
  cites: ['error.81044'],
}

/** Returns a refusal for anything but record validation. */
export const refuse = (status: number, cites: LedgerId, ...errors: readonly ApiError[]): Refusal => ({
  kind: 'refusal',
  status,
  errors,
  ofRecord: false,
  cites: [cites],
})

/** Returns a refusal for an id that is malformed or does not exist. */
export const refuseRoute = (status: number, path: string, cites: LedgerId): Refusal =>
  refuse(
    status,
    cites,
    { code: 7003, message: `Could not route to ${path}, perhaps your object identifier is invalid?` },
    { code: 7000, message: 'No route for that URI' },
  )

/** Returns a refusal for a route that the sandbox lacks. The codes are those of the service, the message is not. */
export function routeMissing(method: string, path: string): Refusal {
  const family = familyOfRoute(path)
  const message =
    family === null
      ? `Could not route to ${path}: the sandbox has no route for ${method} here.`
      : `The sandbox has no route for ${method} ${path}. Cloudflare has routes below ${family}, so yours can be one of them.`
  return refuse(
    404,
    family === null ? 'route.unknown' : 'route.not-emulated',
    { code: 7003, message },
    { code: 7000, message: 'No route for that URI' },
  )
}

/** Returns errors in a form. `chained` puts each in the error_chain of a 1004. */
export const inForm = (errors: readonly ApiError[], form: ErrorForm): readonly ApiError[] =>
  form === 'flat'
    ? errors
    : errors.map(error => ({ code: 1004, message: 'DNS Validation Error', error_chain: [error] }))
