import type { Log, MiniflareOptions, MiniflareWorker } from 'miniflare'
import { loopback } from '../../http/server.ts'

/** One file of a Worker. */
export type Module = {
  /** As other modules import it. */
  readonly name: string
  /** The media type that it was uploaded with. */
  readonly type: string
  readonly content: Buffer
}

/** What a Worker finds in its environment under a name. */
export type RunningBinding =
  | { readonly kind: 'value'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'database'; readonly name: string; readonly databaseId: string }

/** A Worker as it is to run. */
export type RunningWorker = {
  readonly name: string
  readonly modules: readonly Module[]
  /** The module that is asked; without one the first file is a script that listens for `fetch`. */
  readonly mainModule: string | undefined
  readonly compatibilityDate: string | undefined
  readonly compatibilityFlags: readonly string[]
  readonly bindings: readonly RunningBinding[]
}

/** Everything that is to run at one time. */
export type Deployment = {
  readonly workers: readonly RunningWorker[]
  readonly databaseIds: readonly string[]
}

/** One line that a Worker, or the runtime itself, wrote. */
export type ConsoleLine = { readonly at: string; readonly level: string; readonly message: string }

/** The Worker, of ours, through which statements reach the databases. No uploaded one can have its name. */
export const databaseWorker = 'homeport:databases'

/** A script that does not say is run as of this date: the service's documented default. */
const defaultCompatibilityDate = '2021-11-02'

const moduleTypes: Readonly<Record<string, string>> = {
  'application/javascript+module': 'ESModule',
  'application/javascript': 'CommonJS',
  'text/javascript': 'ESModule',
  'text/javascript+module': 'ESModule',
  'application/octet-stream': 'Data',
  'application/wasm': 'CompiledWasm',
  'text/plain': 'Text',
  'text/html': 'Text',
}

/** What the runtime makes of a media type, or undefined when it has no use for it (a source map, say). */
export const moduleTypeOf = (type: string): string | undefined =>
  moduleTypes[type.split(';', 1)[0]?.trim().toLowerCase() ?? '']

/**
 * Runs statements and answers with what the service's HTTP interface says of them. It asks below the public functions
 * of a binding, which give either the columns or the meta of a result but not both. Statements that come together run
 * as one transaction.
 */
const databaseScript = `export default {
  async fetch(request, env) {
    const { databaseId, statements, form } = await request.json()
    try {
      const session = env[databaseId].alwaysPrimarySession
      const sql = statements.map(statement => statement.sql)
      const params = statements.map(statement => statement.params)
      const span = { setAttribute() {} }
      return Response.json({ results: await session._sendOrThrow('/query', sql, params, form, span) })
    } catch (error) {
      return Response.json({ error: error.message })
    }
  },
}`

/**
 * A socket on which requests name the whole URL, as to a proxy: so a Worker sees its own host and scheme. Its port is
 * not said: of a 0 miniflare makes the port that it had before, which somebody else may have taken meanwhile.
 */
const socket = { host: loopback, proxy: true }

const codeOf = ({
  modules,
  mainModule,
  name,
}: RunningWorker): Pick<MiniflareWorker, 'modules' | 'modulesRoot' | 'script'> => {
  if (mainModule === undefined) return { modules: false, script: String(modules[0]?.content ?? '') }
  const main = modules.filter(module => module.name === mainModule)
  const others = modules.filter(module => module.name !== mainModule)
  return {
    modulesRoot: '/',
    modules: [...main, ...others].flatMap(module => {
      const type = moduleTypeOf(module.type)
      return type === undefined
        ? []
        : [{ type, path: `/${name}/${module.name}`, contents: new Uint8Array(module.content) }]
    }),
  }
}

const optionsOf = (worker: RunningWorker, databaseIds: readonly string[]): MiniflareWorker => {
  const values = worker.bindings.flatMap(binding =>
    binding.kind === 'value' ? [[binding.name, binding.value] as const] : [],
  )
  const databases = worker.bindings.flatMap(binding =>
    binding.kind === 'database' && databaseIds.includes(binding.databaseId)
      ? [[binding.name, binding.databaseId] as const]
      : [],
  )
  return {
    ...codeOf(worker),
    name: worker.name,
    compatibilityDate: worker.compatibilityDate ?? defaultCompatibilityDate,
    compatibilityFlags: [...worker.compatibilityFlags],
    bindings: Object.fromEntries(values),
    d1Databases: Object.fromEntries(databases),
    unsafeDirectSockets: [socket],
  }
}

/** Where the runtime's own words go. */
export type Listeners = { readonly line: (line: ConsoleLine) => void; readonly silence: Log }

/** Writes a deployment in the way in which miniflare takes it. */
export const miniflareOptions = (
  { workers, databaseIds }: Deployment,
  { line, silence }: Listeners,
): MiniflareOptions => ({
  host: loopback,
  // Neither asks the internet for a sample of request.cf nor reports on itself.
  cf: false,
  telemetry: { enabled: false },
  log: silence,
  handleStructuredLogs: ({ timestamp, level, message }) =>
    line({ at: new Date(timestamp).toISOString(), level, message: message.replace(/\nstack: .*$/s, '') }),
  // The same lines again, as text.
  handleRuntimeStdio: (...streams) => {
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
    ...workers.map(worker => optionsOf(worker, databaseIds)),
  ],
})
