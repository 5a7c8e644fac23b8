import { type App, type AppParts, createApp, shareChecks } from '../../../src/app.ts'
import type {
  Candidate,
  Employee,
  EmployeeStore,
  SessionState,
} from '../../../src/employees/employee-store.ts'
import type { LogEntry } from '../../../src/http/log.ts'
import { nodeCryptography } from '../../../src/node/node-cryptography.ts'
import { createSessionKey } from '../../../src/session/keys.ts'
import { createSealer } from '../../../src/session/seal.ts'
import type { SessionRules } from '../../../src/session/session.ts'
import { readSettings } from '../../../src/settings/settings.ts'
import type { Profile } from '../../../src/sign-in/identity.ts'
import type { ProviderResponse, Transport } from '../../../src/sign-in/transport.ts'

type Variables = Readonly<Record<string, string>>

/** How a request differs from one of a page of the handler. */
export interface Asked {
  readonly origin?: string
  readonly method?: string
  /** Headers in place of those of a page. */
  readonly headers?: Readonly<Record<string, string>>
  readonly network?: string
  /** Whether a trusted proxy sends it. */
  readonly trusted?: boolean | undefined
}

const employee: Employee = { id: 'E1', userName: 'ada', isActive: true, isAdmin: false }

/** Returns a response of the provider. */
export function jsonResponse(status: number, fields: object): ProviderResponse {
  return { status, contentType: 'application/json', text: JSON.stringify(fields), retryAfter: null }
}

/** Returns a provider that signs everybody in as Ada's account, or one that differs in these fields. */
export function providerOf(change: Partial<Profile> = {}): Transport {
  const profile = { id: 'D1', mail: 'ada@example.com', userPrincipalName: 'ada@example.com', ...change }
  const token = { token_type: 'Bearer', access_token: 'token', scope: 'User.Read' }
  return async url => jsonResponse(200, url.endsWith('/token') ? token : profile)
}

/** A provider that takes each code for the name of an account. */
export const providerOfNames: Transport = async (url, { headers, body }) => {
  const name = body?.get('code') ?? headers['authorization']?.slice('Bearer '.length)
  const token = { token_type: 'Bearer', access_token: name }
  const mail = `${name}@example.com`
  return jsonResponse(
    200,
    url.endsWith('/token') ? token : { id: `D-${name}`, mail, userPrincipalName: mail },
  )
}

export const candidate: Candidate = {
  ...employee,
  sharesId: false,
  boundTo: 'D1',
  askerBoundTo: employee.id,
  lastEndedAt: null,
}

export const sessionState: SessionState = {
  employee,
  sharesId: false,
  sessionEnded: false,
  employeeEnded: false,
  boundTo: 'D1',
}

export const storeOfOne: EmployeeStore = {
  findByName: async () => [candidate],
  bind: async () => false,
  checkSession: async () => sessionState,
  endSession: async () => undefined,
  endEmployeeSessions: async () => undefined,
  check: async () => [],
  findSharedIds: async () => [],
}

/** A store whose functions all fail, for tests in which nothing may ask it. */
export const unusedStore: EmployeeStore = new Proxy(storeOfOne, {
  get: () => () => Promise.reject(new Error('The store was asked unexpectedly.')),
})

/** The handler in this process. A test can set its clock, and replace what its store and its provider do. */
export class InProcess {
  /** The handler's clock: Unix time in milliseconds. */
  now = Date.parse('2026-11-21T09:00:00Z')
  readonly employees: { -readonly [Name in keyof EmployeeStore]: EmployeeStore[Name] }
  provider: Transport
  /** The codes that the provider was sent. */
  readonly redeemed: string[] = []
  readonly logged: LogEntry[] = []
  /** What it was created with. */
  readonly parts: AppParts
  /** How it reads sessions. */
  readonly sessions: SessionRules
  /** Sends any request. */
  readonly app: App

  constructor(env: Variables, employees: Partial<EmployeeStore>, provider: Transport) {
    const reading = readSettings({
      TENANT_ID: 'tenant',
      CLIENT_ID: 'client',
      CLIENT_SECRET: 'secret',
      REDIRECT_URI: `https://people.example.com${env['BASE_PATH'] ?? ''}/auth/callback`,
      SESSION_KEYS: createSessionKey(new Date()),
      ALLOWED_DOMAINS: 'example.com',
      ...env,
    })
    if ('problems' in reading) throw new Error(reading.problems.join('\n'))
    const { value: settings } = reading
    const sealer = createSealer(settings.sessionKeys, nodeCryptography)
    this.employees = { ...storeOfOne, ...employees }
    this.provider = provider
    this.sessions = shareChecks(settings, sealer, () => this.now).sessions
    this.parts = {
      settings,
      sealer,
      employees: this.employees,
      log: entry => void this.logged.push(entry),
      transport: (url, request, limitMs) => {
        const code = request.body?.get('code')
        if (code) this.redeemed.push(code)
        return this.provider(url, request, limitMs)
      },
      cryptography: nodeCryptography,
      now: () => this.now,
    }
    this.app = createApp(this.parts)
  }

  /** Sends a request for a path below the base path with these cookies. */
  call(path: string, cookie = '', asked: Asked = {}): Promise<Response> {
    const { method = 'GET', headers = { 'sec-fetch-site': 'same-origin' }, network = null, trusted } = asked
    const url = new URL(this.parts.settings.basePath + path, asked.origin ?? 'https://people.example.com')
    return this.app(new Request(url, { method, headers: { cookie, ...headers } }), {
      clientNetwork: () => network,
      ...(trusted !== undefined && { isProxyTrusted: () => trusted }),
    })
  }

  /** Sends a POST with these cookies. */
  send(path: string, cookie: string): Promise<Response> {
    return this.call(path, cookie, { method: 'POST' })
  }

  /** Starts a sign-in. Returns the provider's URL, the cookie, and the path that the callback page calls. */
  async start(query = '', cookies = '', asked: Asked = {}) {
    const answer = await this.call(`/api/auth/login-url${query}`, cookies, asked)
    const { url } = (await answer.json()) as { readonly url: string }
    const state = new URL(url).searchParams.get('state') ?? ''
    const callback = `/api/auth/callback?${new URLSearchParams({ code: 'code', state })}`
    return { url, cookie: pairOf(answer.headers.getSetCookie()[0]), callback }
  }

  /** Signs in with a code, in a browser with these cookies. Returns the callback's answer, and the cookie of the session. */
  async signIn(code = 'code', cookies = '', asked: Asked = {}) {
    const { cookie, callback } = await this.start('', cookies, asked)
    const returned = callback.replace('code=code', `code=${code}`)
    const answer = await this.call(returned, `${cookie}; ${cookies}`, asked)
    return { answer, session: pairOf(answer.headers.getSetCookie()[0]) }
  }
}

/** Starts the handler with these settings and the required ones, and a store of one employee but for these functions. */
export const startInProcess = (
  env: Variables = {},
  employees: Partial<EmployeeStore> = {},
  provider: Transport = providerOf(),
) => new InProcess(env, employees, provider)

/** Returns what a browser sends back of a Set-Cookie value. */
export function pairOf(setCookie: string | undefined): string {
  return setCookie?.split(';')[0] ?? ''
}

export function maxAgeOf(setCookie: string | undefined): number {
  return Number(/; Max-Age=(\d+);/.exec(setCookie ?? '')?.[1])
}
