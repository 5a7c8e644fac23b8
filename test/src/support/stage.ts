import { randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { Miniflare } from 'miniflare'
import type { EntraUser } from '../../../sandbox/entra/users.ts'
import { Entra } from '../../../sandbox/testing/entra.ts'
import { openD1Store, openPostgresStore } from '../../../src/operator/open-store.ts'
import { redirectUriOf } from '../../../src/settings/redirect-uri.ts'
import { freePort } from '../../../tools/free-port.ts'
import { workerBundle } from '../../../tools/worker.ts'
import { startHandler } from '../../support/handler.ts'
import { handlerSettings } from '../../support/handler-settings.ts'
import { outputOf } from '../../support/program.ts'
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

export type Variables = Readonly<Record<string, string>>

/** A person with an account at the provider and usually an employee record. */
export interface Person {
  readonly account: string
  readonly userName: string
  readonly employeeId: string
}

export type Stage = Awaited<ReturnType<typeof startStage>>

const uuids = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g

/** The failures after which a Worker's platform refuses a network: fewer than the handler counts in its memory. */
export const platformFailures = 5

/**
 * Starts a provider, a store and a handler, all real, each on its own port.
 * @param given settings beside the required ones. `{port}` in a value stands for the handler's own.
 */
export async function startStage(runtime: (typeof runtimes)[number], given: Variables = {}) {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const withPort = Object.entries(given).map(([key, text]) => [key, text.replaceAll('{port}', String(port))])
  const redirectUris = (given['REDIRECT_URI'] ?? redirectUriOf(origin)).replaceAll('{port}', String(port))
  const [redirectUri = ''] = redirectUris.split(',')
  const entra = await Entra.start({ redirectUris: redirectUris.split(',') })
  entra.setUsers([])
  const env: Variables = {
    ...handlerSettings(entra.description, redirectUris),
    ...Object.fromEntries(withPort),
  }
  const backend = await (runtime === 'node' ? startNode : startWorker)(port, env)
  const { store } = backend
  await migrate(store)

  const visitors: Visitor[] = []
  const people: Person[] = []
  const users: EntraUser[] = []
  const { SESSION_KEYS: keys = '', CLIENT_SECRET: secrets = '' } = env
  const mustNotShow = [...keys.split(/[,:]/), ...secrets.split(',')]
    .filter(value => value.length > 5)
    .flatMap(value => [value, encodeURIComponent(value)])

  return {
    origin,
    redirectUri,
    entra,
    store,
    /** @param at the handler's other origin */
    visitor(at = origin): Visitor {
      const visitor = new Visitor(at, env['BASE_PATH'])
      visitors.push(visitor)
      return visitor
    },
    /** Creates an account. A contractor's has no employee record. */
    async hire(as: 'employee' | 'administrator' | 'contractor' = 'employee'): Promise<Person> {
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
    /** Returns everything that the handler printed. */
    output: backend.output,
    /** The process of the handler on Node. */
    pid: backend.pid,
    /** Stops everything. Throws if the handler printed anything that must never be logged. */
    async close(): Promise<void> {
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

async function startNode(port: number, env: Variables) {
  const { href } = await createPostgresDatabase()
  const store = openPostgresStore(href)
  const handler = await startHandler({ env: { DATABASE_URL: href, ...env, PORT: String(port) } })
  return {
    store,
    output: handler.output,
    pid: handler.process.pid,
    async close() {
      await handler.stop()
      await store.close()
    },
  }
}

async function startWorker(port: number, env: Variables) {
  let output = () => ''
  const shared = { compatibilityDate: '2026-07-01', d1Databases: { EMPLOYEES: 'employees' } }
  const limit = { namespace_id: '1', simple: { limit: platformFailures, period: 60 } } as const
  const miniflare = new Miniflare({
    handleRuntimeStdio(stdout: Readable, stderr: Readable) {
      output = outputOf({ stdout, stderr })
    },
    workers: [
      { name: 'api', ...d1Api, ...shared },
      {
        name: 'handler',
        ...moduleOf(await readFile(workerBundle, 'utf8')),
        ...shared,
        bindings: env,
        ratelimits: { FAILED_CALLBACKS: limit },
        unsafeDirectSockets: [{ host: '127.0.0.1', port }],
      },
    ],
  })
  const store = openD1Store(d1AccessOf(await miniflare.ready, 'EMPLOYEES'))
  return {
    store,
    output: () => output(),
    pid: undefined,
    async close() {
      await store.close()
      await miniflare.dispose()
    },
  }
}
