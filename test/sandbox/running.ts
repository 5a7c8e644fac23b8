import { afterAll, beforeAll } from 'vitest'
import type { DnsRecord } from '../../sandbox/cloudflare/records/record.ts'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'

/** A parsed envelope of the DNS API. */
interface Envelope<Result> {
  success: boolean
  errors: { code: number; message: string; error_chain?: { code: number }[]; source?: { pointer: string } }[]
  result: Result
}

interface Call {
  readonly token?: string | null
  readonly headers?: Record<string, string>
  /** Text is sent as it is. */
  readonly body?: unknown
}

/** Starts a sandbox before the tests of a file, and closes it after them. Returns it with shorthands for its interfaces. */
export function runSandbox() {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await startSandbox()
  })
  afterAll(() => sandbox.close())

  /** Calls the API at a path below /client/v4, with the admin token by default. */
  async function api<Result = unknown>(method: string, path: string, call: Call = {}) {
    const { cloudflare } = sandbox.description
    const { token = cloudflare.adminToken, headers = {}, body } = call
    const response = await fetch(`${cloudflare.apiUrl}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Envelope<Result> }
  }

  return {
    api,
    get at() {
      return sandbox.description
    },
    get control() {
      return sandbox.control
    },
    /** The path of the record collection in the scoped token's zone. */
    get records() {
      return `/zones/${sandbox.description.cloudflare.zoneId}/dns_records`
    },
    /** Creates a record and returns it. Throws if the API refuses. */
    async create(fields: Record<string, unknown>): Promise<DnsRecord> {
      const { body } = await api<DnsRecord>('POST', this.records, { body: { ttl: 120, ...fields } })
      if (!body.success) throw new Error(JSON.stringify(body.errors))
      return body.result
    },
    /** Returns the records that the API lists for a query. */
    async list(query: string): Promise<DnsRecord[]> {
      return (await api<DnsRecord[]>('GET', `${this.records}?${query}`)).body.result
    },
  }
}
