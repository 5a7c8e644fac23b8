import { type App, createApp } from '../../../src/app.ts'
import type {
  Candidate,
  Employee,
  EmployeeStore,
  SessionState,
} from '../../../src/employees/employee-store.ts'
import type { LogEntry } from '../../../src/http/log.ts'
import { createSessionKey } from '../../../src/session/keys.ts'
import { nodeCryptography } from '../../../src/session/node-cryptography.ts'
import { readSettings } from '../../../src/settings/settings.ts'
import type { Settings } from '../../../src/settings/table.ts'
import type { ProviderResponse, Transport } from '../../../src/sign-in/transport.ts'

/** The handler in this process, with a clock to set, and a provider and a store in memory. */
export interface InProcess {
  /** The handler's clock: Unix time in milliseconds. */
  now: number
  readonly logged: readonly LogEntry[]
  /** Number of cookies that it has decrypted. */
  decryptions: number
  /** Sends any request. */
  readonly ask: App
  /** Sends a request for a path below the base path with these cookies, as a page of the handler would, from this network. */
  call(path: string, cookie?: string, network?: string): Promise<Response>
  /** Sends a POST with these cookies. */
  send(path: string, cookie: string): Promise<Response>
  /** Starts a sign-in. Returns the provider's URL, the cookie, and the path that the callback page calls. */
  start(
    query?: string,
    cookies?: string,
  ): Promise<Readonly<Record<'url' | 'cookie' | 'setCookie' | 'callback', string>>>
  /** Signs in with a code, in a browser with these cookies. Returns the callback's answer, and the cookie of the session. */
  signIn(code?: string, cookies?: string): Promise<{ readonly answer: Response; readonly session: string }>
}

const employee: Employee = { id: 'E1', userName: 'ada', isActive: true, isAdmin: false }

/** Returns a response of the provider. */
export function jsonResponse(status: number, fields: object): ProviderResponse {
  return { status, contentType: 'application/json', text: JSON.stringify(fields), retryAfter: null }
}

/** Returns a provider that signs everybody in as this account. With `onlyCode`, it refuses other codes. */
export const providerOf =
  (id: string, onlyCode?: string): Transport =>
  async (url, { body }) => {
    if (!url.endsWith('/token'))
      return jsonResponse(200, { id, mail: 'ada@example.com', userPrincipalName: 'ada@example.com' })
    if (onlyCode !== undefined && body?.get('code') !== onlyCode)
      return jsonResponse(400, { error: 'invalid_grant' })
    return jsonResponse(200, { token_type: 'Bearer', access_token: 'token', scope: 'User.Read' })
  }

/** A provider that takes each code for the name of an account. */
export const providerOfNames: Transport = async (url, { headers, body }) => {
  const name = body?.get('code') ?? headers['authorization']?.slice('Bearer '.length)
  const [token, mail] = [{ token_type: 'Bearer', access_token: name }, `${name}@example.com`]
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

/** Returns a store that does what another does, which can be replaced. */
export function replaceableStore() {
  let current = storeOfOne
  const store = new Proxy(storeOfOne, { get: (_, name) => Reflect.get(current, name) })
  function replace(other: EmployeeStore): void {
    current = other
  }
  return { store, replace }
}

/** A store whose functions all fail, for tests in which nothing may ask it. */
export const unusedStore: EmployeeStore = new Proxy(storeOfOne, {
  get: () => () => Promise.reject(new Error('The store was asked unexpectedly.')),
})

/** Returns these settings and the required ones. */
export function settingsWith(env: Readonly<Record<string, string>>): Settings {
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
  return reading.value
}

/** Starts the handler with these settings and the required ones. */
export function startInProcess(
  env: Readonly<Record<string, string>> = {},
  employees: EmployeeStore = storeOfOne,
  transport: Transport = providerOf('D1'),
): InProcess {
  const settings = settingsWith(env)
  const { basePath } = settings
  const logged: LogEntry[] = []
  const app = createApp({
    settings,
    employees,
    log: entry => void logged.push(entry),
    transport,
    cryptography: {
      ...nodeCryptography,
      aesGcm(key) {
        const aead = nodeCryptography.aesGcm(key)
        return {
          encrypt: aead.encrypt,
          decrypt(...parts) {
            running.decryptions += 1
            return aead.decrypt(...parts)
          },
        }
      },
    },
    now: () => running.now,
  })
  const running: InProcess = {
    now: Date.parse('2026-11-21T09:00:00Z'),
    logged,
    decryptions: 0,
    ask: app,
    call: (path, cookie = '', network) =>
      app(requestOf('GET', basePath + path, cookie), { clientNetwork: () => network ?? null }),
    send: (path, cookie) => app(requestOf('POST', basePath + path, cookie)),
    async start(query = '', cookies = '') {
      const answer = await running.call(`/api/auth/login-url${query}`, cookies)
      const { url } = (await answer.json()) as { readonly url: string }
      const state = new URL(url).searchParams.get('state') ?? ''
      const [setCookie = ''] = answer.headers.getSetCookie()
      return {
        url,
        cookie: pairOf(setCookie),
        callback: `/api/auth/callback?${new URLSearchParams({ code: 'code', state })}`,
        setCookie,
      }
    },
    async signIn(code = 'code', cookies = '') {
      const { cookie, callback } = await running.start('', cookies)
      const answer = await running.call(
        callback.replace('code=code', `code=${code}`),
        `${cookie}; ${cookies}`,
      )
      return { answer, session: pairOf(answer.headers.getSetCookie()[0]) }
    },
  }
  return running
}

function requestOf(method: string, path: string, cookie: string): Request {
  return new Request(new URL(path, 'https://people.example.com'), {
    method,
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
  })
}

/** Returns what a browser sends back of a Set-Cookie value. */
export function pairOf(setCookie: string | undefined): string {
  return setCookie?.split(';')[0] ?? ''
}

export function maxAgeOf(setCookie: string | undefined): number {
  return Number(/; Max-Age=(\d+);/.exec(setCookie ?? '')?.[1])
}
