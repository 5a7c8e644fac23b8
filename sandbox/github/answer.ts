import type { HttpAnswer } from '../http/delivery.ts'

/** An answer of the API. Without `value`, its body is empty. */
export interface GitHubAnswer {
  readonly status: number
  readonly value?: unknown
  readonly headers?: HttpAnswer['headers']
}

/** Returns 200 with a value. */
export const ok = (value: unknown): GitHubAnswer => ({ status: 200, value })

/** Returns 201 with a value, or with an empty object. */
export const created = (value: unknown = {}): GitHubAnswer => ({
  status: 201,
  value,
})

/** Returns 204 without a body. */
export const noContent = (): GitHubAnswer => ({ status: 204 })

/** Returns an error with a link to the documentation. */
export const failed = (status: number, message: string): GitHubAnswer => ({
  status,
  value: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
})

/** Returns 404, which GitHub also answers for what a token cannot see. */
export const notFound = (): GitHubAnswer => failed(404, 'Not Found')

/** Converts an answer to HTTP. */
export const toHttp = ({ status, value, headers }: GitHubAnswer): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: value === undefined ? '' : JSON.stringify(value),
})
