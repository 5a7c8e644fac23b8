import { exchange, type HttpAnswer } from '../../http.ts'

/** The API, and the zone and account to check; null if one is not known. */
export interface Place {
  readonly root: string
  readonly zoneId: string | null
  readonly accountId: string | null
}

/** Reads a path of the DNS service. */
export function get({ root }: Place, path: string, token: string): Promise<HttpAnswer> {
  return exchange(`${root}${path}`, { headers: { authorization: `Bearer ${token}` } })
}

/** Names what went wrong, in words that follow a colon. */
export const reasonOf = (answer: HttpAnswer): string =>
  answer.status === null ? answer.problem : `the service answered ${answer.status}`
