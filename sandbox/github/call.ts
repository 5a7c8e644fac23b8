import type { JsonObject } from '../http/validation.ts'
import type { GitHubToken } from './tokens.ts'

/** An authenticated request. */
export interface GitHubCall {
  readonly token: GitHubToken
  readonly method: string
  /** The decoded path segments below the root of the API. */
  readonly segments: readonly string[]
  readonly query: URLSearchParams
  readonly sent: JsonObject
  /** In RFC 3339, to the second. */
  readonly now: string
}

const defaultPerPage = 30
const maxPerPage = 100

/** Returns the page of a list that a request asks for, counted from 1. */
export function pageOf<Element>(list: readonly Element[], query: URLSearchParams): readonly Element[] {
  const countIn = (name: string, byDefault: number) =>
    Math.max(1, Math.trunc(Number(query.get(name) ?? byDefault)) || byDefault)
  const [page, perPage] = [countIn('page', 1), Math.min(countIn('per_page', defaultPerPage), maxPerPage)]
  return list.slice((page - 1) * perPage, page * perPage)
}
