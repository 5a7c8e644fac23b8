import type { Readable } from 'node:stream'

/**
 * The part of miniflare that this repository uses. Its own declarations import modules that it does not install, so they
 * do not compile with `skipLibCheck: false`.
 */
export interface MiniflareWorker {
  readonly name: string
  /** True if the script is a module, or the modules themselves with the main one first. */
  readonly modules: boolean | readonly MiniflareModule[]
  /** The folder that the modules' paths are relative to. */
  readonly modulesRoot?: string
  /** Set `scriptPath` or `script`, unless `modules` is a list. */
  readonly scriptPath?: string
  readonly script?: string
  readonly compatibilityDate: string
  readonly compatibilityFlags?: readonly string[]
  readonly bindings?: Readonly<Record<string, unknown>>
  readonly d1Databases?: Readonly<Record<string, string>>
  readonly ratelimits?: Readonly<
    Record<
      string,
      {
        readonly namespace_id: string
        readonly simple: { readonly limit: number; readonly period: 10 | 60 }
      }
    >
  >
  /** Where `fetch` leads. Without it, to the network, with the authorities that miniflare was started with. */
  readonly outboundService?: {
    readonly network: {
      readonly allow: readonly string[]
      readonly tlsOptions: {
        readonly trustBrowserCas: boolean
        readonly trustedCertificates: readonly string[]
      }
    }
  }
  /** Sockets that lead straight to this worker. With `proxy`, requests contain the whole URL. */
  readonly unsafeDirectSockets?: readonly {
    readonly host: string
    readonly port?: number
    readonly proxy?: boolean
  }[]
}

export interface MiniflareModule {
  readonly type: string
  readonly path: string
  readonly contents: Uint8Array
}

export interface MiniflareOptions {
  readonly workers: readonly MiniflareWorker[]
  readonly host?: string
  /** If false, miniflare does not fetch a sample of `request.cf` from the internet. */
  readonly cf?: boolean
  readonly telemetry?: { readonly enabled: boolean }
  readonly log?: Log
  readonly handleStructuredLogs?: (line: MiniflareLogLine) => void
  readonly handleRuntimeStdio?: (stdout: Readable, stderr: Readable) => void
}

export interface MiniflareLogLine {
  /** Unix time in milliseconds. */
  readonly timestamp: number
  readonly level: string
  readonly message: string
}

export interface D1Database {
  prepare(sql: string): D1PreparedStatement
  batch(statements: readonly unknown[]): Promise<unknown>
}

export interface D1PreparedStatement {
  bind(...values: readonly unknown[]): D1PreparedStatement
  all<Row>(): Promise<{ readonly results: readonly Row[]; readonly meta: { readonly changes?: number } }>
}

export declare class Miniflare {
  constructor(options: MiniflareOptions)
  readonly ready: Promise<URL>
  setOptions(options: MiniflareOptions): Promise<void>
  unsafeGetDirectURL(workerName: string): Promise<URL>
  getD1Database(binding: string, workerName?: string): Promise<D1Database>
  dispose(): Promise<void>
}

export declare class Log {
  constructor(level: LogLevel)
}

export declare enum LogLevel {
  NONE = 0,
}
