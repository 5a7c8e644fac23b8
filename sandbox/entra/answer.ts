/** An answer that is ready to be sent. */
export interface Answer {
  readonly status: number
  /** Names in lower case; several values are several fields. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string
}

type Headers = Answer['headers']

export const jsonAnswer = (status: number, value: unknown, headers: Headers = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(value),
})

export const textAnswer = (status: number, text: string): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: text,
})

export const redirectAnswer = (status: 302 | 303, location: string, headers: Headers = {}): Answer => ({
  status,
  headers: { ...headers, location },
  body: '',
})

/** The Location of an answer that is a redirect, else undefined. */
export const locationOf = ({ status, headers }: Answer): string | undefined => {
  const location = headers['location']
  return status >= 300 && status < 400 && typeof location === 'string' ? location : undefined
}
