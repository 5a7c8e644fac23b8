import type { Readable } from 'node:stream'

/**
 * The part of miniflare that is used here. Its own declarations name modules that it does not bring along, and so do
 * not compile where libraries are checked.
 */
export interface MiniflareWorker {
  readonly name: string
  /** Whether the script is a module, or the modules themselves, the main one first. */
  readonly modules: boolean | readonly MiniflareModule[]
  /** What the modules' paths are relative to. */
  readonly modulesRoot?: string
  /** One of the two, unless there is a list of modules. */
  readonly scriptPath?: string
  readonly script?: string
  readonly compatibilityDate: string
  readonly compatibilityFlags?: readonly string[]
  readonly bindings?: Readonly<Record<string, unknown>>
  readonly d1Databases?: Readonly<Record<string, string>>
  /** Sockets that lead to this worker without the loopback server in between; `proxy`: requests name the whole URL. */
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
  /** False: no sample of `request.cf` is asked for on the internet. */
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
