/** An error in a response. */
export interface ApiError {
  readonly code: number
  readonly message: string
  readonly error_chain?: readonly ApiError[]
  readonly source?: { readonly pointer: string }
}

/** A refused request, and what every function here throws to say no. The API answers with it. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly errors: readonly ApiError[]

  constructor(status: number, errors: readonly ApiError[]) {
    super(errors[0]?.message)
    this.status = status
    this.errors = errors
  }
}

interface Known {
  readonly code: number
  readonly message: string
}

/** The validation errors of records. */
const recordProblems = {
  aContent: {
    code: 9005,
    message: 'Content for A record must be a valid IPv4 address.',
    // observed: An A record whose content is not an IPv4 address is refused with code 9005. [timothymiller issue 230, 2026-03]
  },
  aaaaContent: {
    code: 9006,
    message: 'Content for AAAA record must be a valid IPv6 address.',
    // assumed: An AAAA record whose content is not an IPv6 address is refused with code 9006. [number and wording from memory of
    // an older error list]
  },
  // assumed: A CNAME record whose content is not a hostname is refused with code 9007. [number and wording from memory of an
  // older error list]
  cnameContent: { code: 9007, message: 'Content for CNAME record is invalid.' },
  mxContent: {
    code: 9009,
    message: 'Change the content of your MX record to be a hostname (and not an IP address).',
    // observed: An MX record whose content is not a hostname is refused with code 9009. [pulumi-cloudflare issue 1107, 2025-03]
  },
  // assumed: An NS record whose content is not a hostname is refused with code 9010. [number and wording from memory of an older
  // error list]
  nsContent: { code: 9010, message: 'Content for NS record is invalid.' },
  // assumed: An invalid DNS name is refused with code 9000. [number and wording from memory of an older error list]
  name: { code: 9000, message: 'DNS name is invalid.' },
  // assumed: A type other than A, AAAA, CNAME, HTTPS, MX, NS or TXT is refused with code 9004. The service has more. [number
  // and wording from memory of an older error list; the types are those of the API reference]
  type: { code: 9004, message: 'DNS record type is invalid.' },
  ttlRange: {
    code: 9021,
    message: 'TTL must be between 60 and 86400 seconds, or 1 for Automatic.',
    // observed: A ttl that is neither 1 nor 60 to 86400 is refused with code 9021. Assumed: a PUT without ttl too. [reports of
    // 2024-02; required since 2020-01-21]
  },
  // observed: A ttl that is not a number is refused with code 9022. [K0p1-Git/cloudflare-ddns-updater issue 92, 2024-06]
  ttlType: { code: 9022, message: 'TTL must be a number, not a string.' },
  // observed: proxied on a type that cannot be proxied is refused with code 9041. [reports of 2017]
  proxied: { code: 9041, message: 'Invalid proxied mode. Record cannot be proxied' },
  // observed: An MX record without a priority is refused with code 9100. [cloudflare-php issue 136, 2020-06; pulumi-cloudflare
  // issue 1107, 2025-03]
  priority: { code: 9100, message: 'priority is a required field.' },
  // observed: A body that is not a JSON object is refused with code 9207. [timothymiller issue 206, 2025-02]
  body: { code: 9207, message: 'Request body is invalid.' },
  // assumed: A field that is missing, too long or of the wrong type is refused with code 9207 and a pointer to it. [the code was
  // seen for bodies, the pointer is documented]
  field: { code: 9207, message: 'Request body is invalid.' },
  hostTaken: {
    code: 81053,
    message: 'An A, AAAA, or CNAME record with that host already exists.',
    // observed: A CNAME at a name that has an A, AAAA or CNAME is refused with code 81053. [bearblog issue 105, 2021-09;
    // manage.get.gov pull request 4946, 2026-04]
  },
  cnameTaken: {
    code: 81054,
    message: 'A CNAME record with that host already exists.',
    // observed: An A or AAAA at a name that has a CNAME is refused with code 81054. [terraform-provider-cloudflare issue 6482,
    // 2025-11]
  },
  nsBesideOthers: {
    code: 81055,
    message: 'Records other than NS with that host already exist.',
    // assumed: An NS below the apex at a name that has other records than NS is refused with code 81055. [the code was
    // seen for conflicts; the reverse of 81056, the wording is made up]
  },
  // observed: A record other than NS at a name below the apex that has NS is refused with code 81056. [acme-dns issue
  // 258, 2021-02]
  nsTaken: { code: 81056, message: 'NS records with that host already exist.' },
  // observed: A duplicate of name, type and content is refused with code 81058. [ddns-go issue 1378, 2025-02]
  identical: { code: 81058, message: 'An identical record already exists.' },
  // The code is unknown; the service sends 0 for errors without a code (NewFuture/DDNS issue 155).
  // assumed: A request to write a record with meta.read_only gets 400 with code 0. [such records were seen in DNSControl issue
  // 3850; the response was not]
  readOnly: { code: 0, message: 'This record is read only.' },
} as const satisfies Record<string, Known>

/** A validation error of a record, with a pointer to the field if the code does not identify it. */
export interface RecordProblem {
  readonly problem: keyof typeof recordProblems
  readonly pointer?: string
}

/** Returns a refusal with the validation errors of a record. */
export const refuseRecord = (...problems: readonly RecordProblem[]): Refusal =>
  new Refusal(
    400,
    problems.map(({ problem, pointer }) => {
      const { code, message } = recordProblems[problem]
      return pointer === undefined ? { code, message } : { code, message, source: { pointer } }
    }),
  )

/** The refusal for a record that does not exist. */
export const recordMissing = new Refusal(404, [{ code: 81044, message: 'Record does not exist.' }])

/** Returns a refusal for anything but record validation. */
export const refuse = (status: number, ...errors: readonly ApiError[]): Refusal => new Refusal(status, errors)

/** Returns a refusal for an id that is malformed or does not exist. */
export const refuseRoute = (status: number, path: string): Refusal =>
  refuse(
    status,
    { code: 7003, message: `Could not route to ${path}, perhaps your object identifier is invalid?` },
    { code: 7000, message: 'No route for that URI' },
  )

/** Returns a refusal for a route that the sandbox lacks. The codes are those of the service, the message is not. */
export const routeMissing = (method: string, path: string): Refusal =>
  refuse(
    404,
    { code: 7003, message: `Could not route to ${path}: the sandbox has no route for ${method} here.` },
    { code: 7000, message: 'No route for that URI' },
  )
