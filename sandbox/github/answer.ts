/** An answer of the API. Without a value it has no body. */
export interface GitHubAnswer {
  readonly status: number
  readonly value?: unknown
}

export const ok = (value: unknown): GitHubAnswer => ({ status: 200, value })
export const created = (value: unknown = {}): GitHubAnswer => ({ status: 201, value })
export const noContent: GitHubAnswer = { status: 204 }

/** Returns an error with a link to the documentation. */
export const failed = (status: number, message: string): GitHubAnswer => ({
  status,
  value: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
})

export const notFound = failed(404, 'Not Found')
