import type { Readable } from 'node:stream'
import type { Log, MiniflareOptions } from 'miniflare'
import { loopback } from '../../http/server.ts'
import { type Binding, databaseIdOf, rateLimitOf, type Script } from './script.ts'

/** The internal Worker that runs SQL statements. Uploaded Workers cannot have this name. */
export const databaseWorker = 'homeport:databases'

/** The documented default of scripts without a compatibility date. */
const defaultCompatibilityDate = '2021-11-02'

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

/** Returns the network of Workers: all of it, as by default, and trusting an authority besides the public ones. */
const network = (authority: string) => ({
  network: {
    allow: ['public', 'private'],
    tlsOptions: { trustBrowserCas: true, trustedCertificates: [authority] },
  },
})

function optionsOf(script: Script, databaseIds: readonly string[], authority: string) {
  const { name, mainModule, code, settings, bindings } = script
  const { compatibility_date: date = defaultCompatibilityDate, compatibility_flags: flags } = settings
  const bound = <Value>(types: readonly string[], read: (binding: Binding) => Value) =>
    Object.fromEntries(
      bindings.filter(({ type }) => types.includes(type)).map(one => [one.name, read(one)] as const),
    )
  const databases = Object.entries(bound(['d1'], databaseIdOf))
  return {
    modulesRoot: '/',
    modules: [{ type: 'ESModule' as const, path: `/${name}/${mainModule}`, contents: code }],
    name,
    compatibilityDate: String(date),
    compatibilityFlags: Array.isArray(flags) ? flags.map(String) : [],
    bindings: bound(['plain_text', 'secret_text'], ({ text }) => text),
    // One that was deleted since the upload is not there.
    d1Databases: Object.fromEntries(databases.filter(([, id]) => databaseIds.includes(id))),
    ratelimits: bound(['ratelimit'], rateLimitOf),
    outboundService: network(authority),
    unsafeDirectSockets: [socket],
  }
}

/**
 * Returns the options of miniflare for scripts and databases.
 * @param silence a log that prints nothing
 * @param authority a certificate that Workers trust, as PEM
 */
export const miniflareOptions = (
  scripts: readonly Script[],
  databaseIds: readonly string[],
  silence: Log,
  authority: string,
): MiniflareOptions => ({
  host: loopback,
  // Without these, miniflare downloads a sample of request.cf and sends telemetry.
  cf: false,
  telemetry: { enabled: false },
  log: silence,
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
    ...scripts.map(script => optionsOf(script, databaseIds, authority)),
  ],
})
