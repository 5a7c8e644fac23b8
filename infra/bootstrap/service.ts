import { exchange, type HttpAnswer } from '../http.ts'
import { fieldOf } from '../policy/rule.ts'

/** Where the permissions of a token apply, as far as that is known. */
export interface Place {
  readonly root: string
  readonly zoneId: string | null
  readonly accountId: string | null
}

/** Reads a path of the DNS service. */
export function get({ root }: Place, path: string, token: string): Promise<HttpAnswer> {
  return exchange(`${root}${path}`, { headers: { authorization: `Bearer ${token}` } })
}

/** Returns the `result` of a successful envelope, else undefined. */
export function resultOf(answer: HttpAnswer): unknown {
  if (answer.status !== 200) return undefined
  return fieldOf(answer.body, 'success') === true ? fieldOf(answer.body, 'result') : undefined
}

/** Names what went wrong, in words that follow a colon. */
export const reasonOf = (answer: HttpAnswer): string =>
  answer.status === null ? answer.problem : `the service answered ${answer.status}`
