import type { Readable } from 'node:stream'

/**
 * The part of miniflare that is used here. Its own declarations name modules that it does not bring along, and so do
 * not compile where libraries are checked.
 */
export interface MiniflareWorker {
  readonly name: string
  readonly modules: true
  /** One of the two. */
  readonly scriptPath?: string
  readonly script?: string
  readonly compatibilityDate: string
  readonly bindings?: Readonly<Record<string, unknown>>
  readonly d1Databases?: Readonly<Record<string, string>>
  /** Sockets that lead to this worker without the loopback server in between. */
  readonly unsafeDirectSockets?: readonly { readonly host: string; readonly port: number }[]
}

export interface MiniflareOptions {
  readonly workers: readonly MiniflareWorker[]
  readonly handleRuntimeStdio?: (stdout: Readable, stderr: Readable) => void
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
  getD1Database(binding: string, workerName?: string): Promise<D1Database>
  dispose(): Promise<void>
}
