import type { JsonObject } from '../http/validation.ts'
import type { GitHubToken } from './tokens.ts'

/** An authenticated request. */
export interface GitHubCall {
  readonly token: GitHubToken
  readonly method: string
  /** Decoded path segments after the root of the API. */
  readonly segments: readonly string[]
  readonly query: URLSearchParams
  /** The address that the client used. */
  readonly url: string
  readonly sent: JsonObject
  /** RFC 3339, to the second */
  readonly now: string
}
