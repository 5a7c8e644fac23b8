import type { JsonObject } from '../http/validation.ts'
import type { GitHubToken } from './tokens.ts'

/** An authenticated request. */
export interface GitHubCall {
  readonly token: GitHubToken
  readonly method: string
  /** The decoded path segments below the root of the API. */
  readonly segments: readonly string[]
  readonly query: URLSearchParams
  /** The full URL that the client requested. */
  readonly url: string
  readonly sent: JsonObject
  /** In RFC 3339, to the second. */
  readonly now: string
}
