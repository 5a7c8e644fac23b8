import type { Binding } from './worker-bindings.ts'

/** Version of the Workers runtime. The tests of both Workers use the same. */
export const compatibilityDate = '2026-07-01'

/**
 * Declared in full, since a field that Cloudflare adds shows as a change. Invocation logs are off: they contain the
 * query of a request, such as that of the callback, and with it the code.
 */
const observability = {
  enabled: true,
  headSamplingRate: 1,
  logs: { enabled: true, headSamplingRate: 1, invocationLogs: false, persist: true },
  traces: { enabled: false, headSamplingRate: 1, persist: true },
} as const

/** Returns what the program declares for a Worker, besides its name and its code. @param bindings with secret values wrapped */
export function scriptArguments<Value>(accountId: string, bindings: readonly Binding<Value>[]) {
  return { accountId, mainModule: 'worker.js', compatibilityDate, bindings: [...bindings], observability }
}

/** What the program declares for the custom domain of a Worker, besides its service. */
export interface DomainPlace {
  readonly accountId: string
  readonly zoneId: string
  /** In the zone. */
  readonly hostname: string
}

/** Returns what the program declares for the employee database. */
export function databaseArguments(accountId: string, name: string, jurisdiction: string | null) {
  return {
    accountId,
    name,
    // Cloudflare returns it. Undeclared, it would always show as a change.
    readReplication: { mode: 'disabled' },
    ...(jurisdiction === null ? {} : { jurisdiction }),
  }
}

/**
 * The inputs that a resource keeps as they were when it was created: names, although `pulumi stack rename` changes them, since
 * a new name would be another resource, and what Cloudflare takes only from a new one.
 */
export const keptInputs = { database: ['name', 'jurisdiction'], script: ['scriptName'] } as const
