/** An answer of GitHub's interface; no value means no body. */
export interface Answer {
  readonly status: number
  readonly value?: unknown
}

export const ok = (value: unknown): Answer => ({ status: 200, value })
export const created = (value: unknown = {}): Answer => ({ status: 201, value })
export const noContent: Answer = { status: 204 }

/** A failure: the message, and where it is documented. */
export const failed = (status: number, message: string): Answer => ({
  status,
  value: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
})

export const notFound = failed(404, 'Not Found')
