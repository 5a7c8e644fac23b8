import type { HttpAnswer } from '../http/delivery.ts'
import type { GitHubLedgerId } from './ledger.ts'

/** An answer of the API. Without `value`, its body is empty. */
export interface GitHubAnswer {
  readonly status: number
  readonly value?: unknown
  readonly headers?: HttpAnswer['headers']
  /** The ledger entry that the answer relies on. */
  readonly cites: GitHubLedgerId
}

/** Returns 200 with a value. */
export const ok = (cites: GitHubLedgerId, value: unknown): GitHubAnswer => ({ status: 200, value, cites })

/** Returns 201 with a value, or with an empty object. */
export const created = (cites: GitHubLedgerId, value: unknown = {}): GitHubAnswer => ({
  status: 201,
  value,
  cites,
})

/** Returns 204 without a body. */
export const noContent = (cites: GitHubLedgerId): GitHubAnswer => ({ status: 204, cites })

/** Returns an error with a link to the documentation. */
export const failed = (cites: GitHubLedgerId, status: number, message: string): GitHubAnswer => ({
  status,
  value: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
  cites,
})

/** Returns 404, which GitHub also answers for what a token cannot see. */
export const notFound = (cites: GitHubLedgerId = 'github.unknown'): GitHubAnswer =>
  failed(cites, 404, 'Not Found')

/** Converts an answer to HTTP. */
export const toHttp = ({ status, value, headers }: GitHubAnswer): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: value === undefined ? '' : JSON.stringify(value),
})
