import { afterAll, beforeAll } from 'vitest'
import type { DnsRecord } from '../../sandbox/cloudflare/records/record.ts'
import type { Control } from '../../sandbox/control.ts'
import {
  type Sandbox,
  type SandboxDescription,
  type SandboxOptions,
  startSandbox,
} from '../../sandbox/sandbox.ts'

/** A parsed envelope of the DNS API. */
export interface Envelope<Result> {
  success: boolean
  errors: { code: number; message: string; error_chain?: { code: number }[]; source?: { pointer: string } }[]
  result: Result
}

export interface ApiResponse<Result> {
  status: number
  text: string
  body: Envelope<Result>
}

interface Call {
  readonly token?: string | null
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** A sandbox shared by the tests of one file, with shorthands for its interfaces. */
export interface Running {
  readonly at: SandboxDescription
  /** The path of the record collection in the scoped token's zone. */
  readonly records: string
  /** Calls the API at a path below /client/v4, with the admin token by default. */
  api<Result = unknown>(method: string, path: string, call?: Call): Promise<ApiResponse<Result>>
  /** Creates a record and returns it. Throws if the API refuses. */
  create(fields: Record<string, unknown>): Promise<DnsRecord>
  /** Returns the records with a name, as the API lists them. */
  named(name: string): Promise<DnsRecord[]>
  readonly control: Control
}

const bodyOf = (body: unknown) =>
  body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }

/** Starts a sandbox before the tests of a file and closes it after them. */
export function runSandbox(options: SandboxOptions = {}): Running {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await startSandbox(options)
  })
  afterAll(() => sandbox.close())
  const running: Running = {
    get at() {
      return sandbox.description
    },
    get control() {
      return sandbox.control
    },
    get records() {
      return `/zones/${sandbox.description.cloudflare.zoneId}/dns_records`
    },
    api: async <Result>(
      method: string,
      path: string,
      { token = running.at.cloudflare.adminToken, headers = {}, body }: Call = {},
    ) => {
      const response = await fetch(`${running.at.cloudflare.apiUrl}${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...bodyOf(body),
      })
      const text = await response.text()
      return { status: response.status, text, body: JSON.parse(text) as Envelope<Result> }
    },
    create: async fields => {
      const { body } = await running.api<DnsRecord>('POST', running.records, {
        body: { ttl: 120, ...fields },
      })
      if (!body.success) throw new Error(JSON.stringify(body.errors))
      return body.result
    },
    named: async name => {
      const { body } = await running.api<DnsRecord[]>(
        'GET',
        `${running.records}?name=${encodeURIComponent(name)}`,
      )
      return body.result
    },
  }
  return running
}
