import type { SettingName } from '../../src/settings/table.ts'
import type { DeclaredRecord } from '../resources/record-arguments.ts'
import type { Key, ValuesOfParts } from './keys.ts'
import type { CredentialEnd } from './readers/credentials.ts'

/** A record that the stack declares. */
export interface RecordPlan extends DeclaredRecord {
  /** The record to adopt; null to create one. */
  readonly importId: string | null
}

/** In the order of the configuration: by hostname, then by type. */
export type RecordPlans = readonly [RecordPlan, ...RecordPlan[]]

/** The environment of a repository that receives the token. */
export interface HandOver {
  readonly owner: string
  readonly repository: string
  readonly environment: string
}

/** The part `record`. */
export interface RecordSettings {
  readonly plans: RecordPlans
  /** The token that may change the records. */
  readonly token: {
    readonly owner: 'user' | 'account'
    readonly rotation: string
    readonly expiresOn: string | null
    readonly allowedCidrs: readonly string[]
  }
  /** Null if you store the token by hand. */
  readonly handOver: HandOver | null
}

/** One of the two client secrets. */
export interface ClientSecretPlan {
  readonly slot: 'a' | 'b'
  /** The day it was made, `2026-03-31`. */
  readonly rotatedOn: string
  /** When it expires, `2026-09-27T00:00:00Z`. It follows from the day alone, so it is the same in every run. */
  readonly endsOn: string
}

/** Keys with a certificate, in the order in which the handler uses them. */
export const certificateKeys = ['clientCertificate', 'clientCertificateNext'] as const

/** A certificate of the handler, without its key. */
export interface CertificatePlan {
  readonly key: (typeof certificateKeys)[number]
  readonly der: Uint8Array
  /** `2026-09-27T00:00:00Z`. */
  readonly endsOn: string
}

/** Where a Worker is, without a port. */
interface WorkerPlace {
  readonly origin: string
  readonly host: string
}

/** The part `signIn`: the values of its keys, and what follows from them. */
export interface SignInSettings extends ValuesOfParts<'signIn' | 'worker'> {
  /** One for each origin. Built here and nowhere else; the registration, the handler and the output share them. */
  readonly redirectUris: readonly string[]
  /** Newest first. Empty if something else authenticates the handler. */
  readonly clientSecrets: readonly ClientSecretPlan[]
  /** The one in use and the next one, as far as the caller may read them. */
  readonly certificates: readonly CertificatePlan[]
  /** The handler's settings that have a key and are not secret, as texts by name. Blank ones are left out. */
  readonly handler: Readonly<Partial<Record<SettingName, string>>>
  /** The only one of `publicOrigin`. Null if the handler runs on a host. */
  readonly worker: WorkerPlace | null
}

/** The validated configuration, without its secrets. */
export interface StackSettings {
  /** 32 hex digits. Empty if no part needs it. */
  readonly zoneId: string
  /** 32 hex digits. Empty if no part needs it. */
  readonly accountId: string
  /** Null if the stack has no record. */
  readonly record: RecordSettings | null
  /** Null if the stack has no sign-in. */
  readonly signIn: SignInSettings | null
  /** Where routers send their address. Null if the stack has no push endpoint, whose token is like that of the records. */
  readonly push: WorkerPlace | null
  /** The workflow that a Worker starts, `owner/repository/file.yml`; null for none. */
  readonly clock: string | null
  /** Of credentials that somebody created by hand. No read tells all of them. */
  readonly credentials: readonly CredentialEnd[]
  /** Keys that are set, but belong to a part that the stack does not have. */
  readonly unused: readonly Key[]
}
