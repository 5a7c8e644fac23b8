import type { Read } from '../clients/cloudflare.ts'

/** Cloudflare's API with each token, and the zone and account to check; null if one is not known. */
export interface Place {
  readonly as: (token: string) => Read
  readonly zoneId: string | null
  readonly accountId: string | null
  /** Whether the stack has a Worker, and one with a host. Each needs more permissions. */
  readonly hasWorker: boolean
  readonly hasHost: boolean
  /** Whether it has the database of a sign-in. */
  readonly hasDatabase: boolean
}
