import type { Readable } from 'node:stream'
import type { Log, MiniflareOptions } from 'miniflare'
import { loopback } from '../../http/server.ts'

/** One file of a Worker. */
export interface Module {
  /** The name by which other modules import it. */
  readonly name: string
  /** The media type of the upload. */
  readonly type: string
  readonly content: Buffer
}

/** A value in the environment of a Worker. */
export type RunningBinding =
  | { readonly kind: 'value'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'database'; readonly name: string; readonly databaseId: string }
  | { readonly kind: 'rate-limit'; readonly name: string; readonly rateLimit: RateLimit }

/** Maximum calls with one key in a period. */
export interface RateLimit {
  /** Limits with the same namespace share their counters. */
  readonly namespace: string
  /** Calls for each key in one period. */
  readonly limit: number
  /** In seconds. */
  readonly period: 10 | 60
}

/** A Worker in the form that the runtime needs. */
export interface RunningWorker {
  readonly name: string
  readonly modules: readonly Module[]
  readonly compatibilityDate: string | undefined
  readonly compatibilityFlags: readonly string[]
  readonly bindings: readonly RunningBinding[]
}

/** All Workers and databases that run at one time. */
export interface Deployment {
  readonly workers: readonly RunningWorker[]
  readonly databaseIds: readonly string[]
}

/** The internal Worker that runs SQL statements. Uploaded Workers cannot have this name. */
export const databaseWorker = 'homeport:databases'

/** The documented default of scripts without a compatibility date. */
const defaultCompatibilityDate = '2021-11-02'

/** Whether a media type is that of a module. The service takes more kinds; a Worker of Homeport is one module of JavaScript. */
export const isModule = (type: string): boolean => /^application\/javascript\+module\b/i.test(type)

/**
 * Runs statements as one transaction and returns their results in the format of the D1 API. Uses an internal function,
 * because the public functions of a binding return either columns or meta, but not both.
 */
const databaseScript = `export default {
  async fetch(request, env) {
    const { databaseId, statements, form } = await request.json()
    try {
      const session = env[databaseId].alwaysPrimarySession
      const sql = statements.map(statement => statement.sql)
      const params = statements.map(statement => statement.params)
      const span = { setAttribute() {} }
      return Response.json({ value: await session._sendOrThrow('/query', sql, params, form, span) })
    } catch (error) {
      return Response.json({ problem: error.message })
    }
  },
}`

/**
 * A socket that accepts full URLs like a proxy, so that Workers see their own host and scheme. It has no `port`, because
 * with port 0 miniflare reuses its previous port, which may be in use by then.
 */
const socket = { host: loopback, proxy: true }

function codeOf({ modules, name }: RunningWorker) {
  return {
    modulesRoot: '/',
    modules: modules.map(module => ({
      type: 'ESModule',
      path: `/${name}/${module.name}`,
      contents: new Uint8Array(module.content),
    })),
  }
}

/** Returns the network of Workers: all of it, as by default, and trusting an authority besides the public ones. */
const network = (authority: string) => ({
  network: {
    allow: ['public', 'private'],
    tlsOptions: { trustBrowserCas: true, trustedCertificates: [authority] },
  },
})

function optionsOf(worker: RunningWorker, databaseIds: readonly string[], authority: string | undefined) {
  const values = worker.bindings.flatMap(binding =>
    binding.kind === 'value' ? [[binding.name, binding.value] as const] : [],
  )
  const databases = worker.bindings.flatMap(binding =>
    binding.kind === 'database' && databaseIds.includes(binding.databaseId)
      ? [[binding.name, binding.databaseId] as const]
      : [],
  )
  const rateLimits = worker.bindings.flatMap(binding =>
    binding.kind === 'rate-limit' ? [[binding.name, ratelimitOption(binding.rateLimit)] as const] : [],
  )
  return {
    ...codeOf(worker),
    name: worker.name,
    compatibilityDate: worker.compatibilityDate ?? defaultCompatibilityDate,
    compatibilityFlags: [...worker.compatibilityFlags],
    bindings: Object.fromEntries(values),
    d1Databases: Object.fromEntries(databases),
    ratelimits: Object.fromEntries(rateLimits),
    ...(authority === undefined ? {} : { outboundService: network(authority) }),
    unsafeDirectSockets: [socket],
  }
}

const ratelimitOption = ({ namespace, limit, period }: RateLimit) => ({
  namespace_id: namespace,
  simple: { limit, period },
})

/**
 * Converts a deployment to the options of miniflare.
 * @param silence a log that prints nothing
 * @param authority a certificate that Workers trust, as PEM
 */
export const miniflareOptions = (
  { workers, databaseIds }: Deployment,
  silence: Log | undefined,
  authority: string | undefined,
): MiniflareOptions => ({
  host: loopback,
  // Without these, miniflare downloads a sample of request.cf and sends telemetry.
  cf: false,
  telemetry: { enabled: false },
  ...(silence && { log: silence }),
  handleStructuredLogs: () => undefined,
  handleRuntimeStdio: (...streams: Readable[]) => {
    for (const stream of streams) stream.resume()
  },
  workers: [
    {
      name: databaseWorker,
      modules: true,
      script: databaseScript,
      compatibilityDate: '2026-01-01',
      d1Databases: Object.fromEntries(databaseIds.map(id => [id, id])),
      unsafeDirectSockets: [socket],
    },
    ...workers.map(worker => optionsOf(worker, databaseIds, authority)),
  ],
})
