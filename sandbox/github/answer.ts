/** An answer of GitHub's interface; no value means no body. */
export interface GitHubAnswer {
  readonly status: number
  readonly value?: unknown
}

export const ok = (value: unknown): GitHubAnswer => ({ status: 200, value })
export const created = (value: unknown = {}): GitHubAnswer => ({ status: 201, value })
export const noContent: GitHubAnswer = { status: 204 }

/** A failure: the message, and where it is documented. */
export const failed = (status: number, message: string): GitHubAnswer => ({
  status,
  value: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
})

export const notFound = failed(404, 'Not Found')
