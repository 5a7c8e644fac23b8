import { randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { Miniflare } from 'miniflare'
import type { EntraUser } from '../../../sandbox/entra/users.ts'
import { Entra } from '../../../sandbox/testing/entra.ts'
import type { Store } from '../../../src/operator/store.ts'
import { openD1Store, openPostgresStore } from '../../../src/operator/stores.ts'
import { redirectUriOf } from '../../../src/settings/redirect-uri.ts'
import { freePort } from '../../../tools/free-port.ts'
import { type Handler, startHandler } from '../../../tools/handler.ts'
import { workerBundle } from '../../../tools/worker.ts'
import { Visitor } from '../../support/visitor.ts'
import { createPostgresDatabase, d1AccessOf, d1Api, migrate, moduleOf } from './databases.ts'

export const runtimes = ['node', 'worker'] as const

/** Settings of a handler that has a path of two hosts. */
export const twoHosts = {
  BASE_PATH: '/_homeport',
  REDIRECT_URI: ['localhost', '127.0.0.1']
    .map(name => `http://${name}:{port}/_homeport/auth/callback`)
    .join(),
}

/** Settings that differ in one handler of a stage. `{port}` in a value stands for that handler's own. */
type Variant = Readonly<Record<string, string>>

export interface StageOptions {
  /** More handlers on the same store and provider, by name. The one named `main` is always there. */
  readonly variants?: Readonly<Record<string, Variant>>
  readonly env?: Variant
}

/** A person with an account at the provider and usually an employee record. */
export interface Person {
  readonly account: string
  readonly userName: string
  readonly employeeId: string
}

/** A provider, a store and handlers, all real, each on its own port. */
export interface Stage {
  readonly origin: string
  readonly redirectUri: string
  readonly entra: Entra
  readonly store: Store
  /** @param origin another origin of the same handler */
  visitor(variant?: string, origin?: string): Visitor
  /** Creates an account. A contractor's has no employee record. */
  hire(as?: 'employee' | 'administrator' | 'contractor'): Promise<Person>
  /** Renames the employees table while the handler runs. Returns how to undo it. */
  breakStore(): Promise<() => Promise<void>>
  /** Returns everything that the handlers printed. */
  output(): string
  /** Stops everything. Throws if the handlers printed anything that must never be logged. */
  close(): Promise<void>
}

const uuids = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g

const compatibilityDate = '2026-07-01'
const d1Databases = { EMPLOYEES: 'employees' }
const ratelimits = { FAILED_CALLBACKS: { namespace_id: '1', simple: { limit: 30, period: 60 } } } as const

export function newSessionKey(kid: string): string {
  return `${kid}:${randomBytes(32).toString('base64url')}`
}

export async function startStage(
  runtime: (typeof runtimes)[number],
  options: StageOptions = {},
): Promise<Stage> {
  const names = ['main', ...Object.keys(options.variants ?? {})]
  const ports = new Map<string, number>()
  for (const name of names) ports.set(name, await freePort())
  const originOf = (name: string) => `http://localhost:${ports.get(name)}`
  const uris = options.env?.['REDIRECT_URI'] ?? redirectUriOf(originOf('main'))
  const redirectUris = uris.replaceAll('{port}', String(ports.get('main'))).split(',')
  const [redirectUri = ''] = redirectUris
  const entra = await Entra.start({ redirectUris })
  entra.setUsers([])
  const { instance, graphUrl, tenantId, clientId, clientSecret } = entra.description
  const env = {
    TENANT_ID: tenantId,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    INSTANCE: instance,
    GRAPH_URL: graphUrl,
    REDIRECT_URI: uris,
    SESSION_KEYS: newSessionKey('k1'),
    ALLOWED_DOMAINS: 'example.com',
    ...options.env,
  }
  function settingsOf(name: string): Record<string, string> {
    const given = Object.entries({ ...env, ...options.variants?.[name] })
    return Object.fromEntries(
      given.map(([key, text]) => [key, text.replaceAll('{port}', String(ports.get(name)))]),
    )
  }
  const backend =
    runtime === 'node'
      ? await startNode(names, ports, settingsOf)
      : await startWorker(names, ports, settingsOf)
  const { store } = backend
  await migrate(store)

  const visitors: Visitor[] = []
  const people: Person[] = []
  const users: EntraUser[] = []
  const mustNotShow = names.flatMap(name => {
    const { SESSION_KEYS: keys = '', CLIENT_SECRET: secrets = '' } = settingsOf(name)
    const values = [...keys.split(/[,:]/), ...secrets.split(',')].filter(value => value.length > 5)
    return values.flatMap(value => [value, encodeURIComponent(value)])
  })

  function visitor(variant = 'main', origin?: string): Visitor {
    const home = origin ?? originOf('main')
    const visitor = new Visitor(origin ?? originOf(variant), home, settingsOf(variant)['BASE_PATH'])
    visitors.push(visitor)
    return visitor
  }

  return {
    origin: originOf('main'),
    redirectUri,
    entra,
    store,
    visitor,
    async hire(as = 'employee') {
      const userName = `marlowe${randomBytes(4).toString('hex')}`
      const account = `${userName}@example.com`
      users.push({ id: randomUUID(), userPrincipalName: account, mail: account, displayName: userName })
      entra.setUsers(users)
      const employeeId = `E${randomBytes(4).toString('hex')}`
      const insert = `INSERT INTO employees (id, user_name, is_admin) VALUES ($1, $2, ${as === 'administrator'})`
      if (as !== 'contractor') await store.query(insert, [employeeId, userName])
      const person = { account, userName, employeeId }
      people.push(person)
      return person
    },
    async breakStore() {
      await store.query('ALTER TABLE employees RENAME TO employees_away')
      return async () => void (await store.query('ALTER TABLE employees_away RENAME TO employees'))
    },
    output: backend.output,
    async close() {
      await backend.close()
      await entra.close()
      for (const visitor of visitors) for (const secret of visitor.secrets) mustNotShow.push(secret)
      for (const { account, userName } of people) mustNotShow.push(account, userName)
      const output = backend.output()
      const shown = mustNotShow.filter(text => text.length > 3 && output.includes(text))
      if (shown.length > 0) throw new Error(`The handler logged what it must not: ${shown.join(', ')}`)
      const pattern = /@|code=|state=|bearer |__Host-|eyJ/i.exec(output)
      if (pattern) throw new Error(`The handler logged what looks like a secret: ${pattern[0]}`)
      // Codes, tokens, verifiers and states exist only on the wire. All are long and random.
      const random = /(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{20,}/.exec(output.replaceAll(uuids, ''))
      if (random) throw new Error(`The handler logged what looks like a credential: ${random[0]}`)
      if (!output.includes('"event":"request"')) throw new Error('The handler’s output was not collected.')
    },
  }
}

interface Backend {
  readonly store: Store
  output(): string
  close(): Promise<void>
}

type SettingsOf = (name: string) => Record<string, string>

async function startNode(
  names: readonly string[],
  ports: ReadonlyMap<string, number>,
  settingsOf: SettingsOf,
): Promise<Backend> {
  const database = await createPostgresDatabase()
  const store = openPostgresStore(database.href)
  const handlers: Handler[] = await Promise.all(
    names.map(name =>
      startHandler({
        env: {
          DATABASE_URL: database.href,
          ...settingsOf(name),
          PORT: String(ports.get(name)),
        },
      }),
    ),
  )
  return {
    store,
    output: () => handlers.map(handler => handler.output()).join(''),
    async close() {
      await Promise.all(handlers.map(handler => handler.stop()))
      await store.close()
    },
  }
}

async function startWorker(
  names: readonly string[],
  ports: ReadonlyMap<string, number>,
  settingsOf: SettingsOf,
): Promise<Backend> {
  let output = ''
  const handler = moduleOf(await readFile(workerBundle, 'utf8'))
  const miniflare = new Miniflare({
    handleRuntimeStdio(...streams: Readable[]) {
      for (const stream of streams) {
        stream.on('data', (chunk: Buffer) => {
          output += chunk.toString()
        })
      }
    },
    workers: [
      { name: 'api', ...d1Api, compatibilityDate, d1Databases },
      ...names.map(name => ({
        name,
        ...handler,
        compatibilityDate,
        bindings: settingsOf(name),
        d1Databases,
        ratelimits,
        unsafeDirectSockets: [{ host: '127.0.0.1', port: ports.get(name) ?? 0 }],
      })),
    ],
  })
  const store = openD1Store(d1AccessOf(await miniflare.ready, 'EMPLOYEES'))
  return {
    store,
    output: () => output,
    async close() {
      await store.close()
      await miniflare.dispose()
    },
  }
}
