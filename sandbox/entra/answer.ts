import type { HttpAnswer } from '../http/delivery.ts'

type Headers = HttpAnswer['headers']

export const jsonAnswer = (status: number, value: unknown, headers: Headers = {}): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(value),
})

export const redirectAnswer = (status: 302 | 303, location: string, headers: Headers = {}): HttpAnswer => ({
  status,
  headers: { ...headers, location },
  body: '',
})

/** Returns the Location of an answer, or null if it is not a redirect. */
export function locationOf({ status, headers }: HttpAnswer): string | null {
  const location = headers['location']
  return status >= 300 && status < 400 && typeof location === 'string' ? location : null
}
