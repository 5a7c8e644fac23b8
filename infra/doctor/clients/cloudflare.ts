import { exchange, type HttpAnswer, requireSafeUrl } from '../../http.ts'
import { fieldOf, listOf } from '../../json.ts'
import { type ReadResult, unreadable } from '../finding.ts'

/** Reads a path of a service: JSON, or the code of a Worker. */
export type Read = (path: string, answer?: 'json' | 'module') => Promise<HttpAnswer>

const perPage = 50
const maxPages = 100

/** @throws Refusal if the base URL is not safe; it names the setting that has it */
export function connectCloudflare(
  apiUrl: string,
  token: string,
  setting = 'The base URL of the DNS service',
): Read {
  const root = requireSafeUrl(apiUrl, setting)
  const headers = { authorization: `Bearer ${token}` }
  return (path, answer = 'json') => exchange(`${root}${path}`, { headers, answer })
}

/** Reads a list to its end. An incomplete list counts as unread. */
export async function readPages<T>(
  read: Read,
  path: string,
  subject: string,
  permission: string,
  elementOf: (one: unknown) => T,
): Promise<ReadResult<readonly T[]>> {
  const all: unknown[] = []
  for (let page = 1; page <= maxPages; page += 1) {
    const answer = await read(`${path}per_page=${perPage}&page=${page}`)
    const found = resultOf(answer)
    if (!Array.isArray(found)) return unread(subject, answer, permission)
    all.push(...listOf(found))
    if (found.length < perPage) return { value: all.map(elementOf) }
  }
  const fix = 'Delete those that nobody uses, then run npm run drift again.'
  return { problem: unreadable(subject, `there are more than ${perPage * maxPages}.`, fix) }
}

/** Reads one thing. Its value is null if it does not exist. */
export async function readOne(
  read: Read,
  path: string,
  subject: string,
  permission: string,
): Promise<ReadResult<unknown>> {
  const answer = await read(path)
  const value = resultOf(answer)
  if (answer.status === 404) return { value: null }
  return value === null ? unread(subject, answer, permission) : { value }
}

/** Returns the `result` of a successful envelope, else null. */
export function resultOf(answer: HttpAnswer): unknown {
  if (answer.status !== 200 || fieldOf(answer.body, 'success') !== true) return null
  return fieldOf(answer.body, 'result') ?? null
}

export function unread(subject: string, answer: HttpAnswer, permission: string): ReadResult<never> {
  if (answer.status === null) {
    return { problem: unreadable(subject, `${answer.problem}.`, 'Run npm run drift again.') }
  }
  const codes = listOf(fieldOf(answer.body, 'errors'))
    .map(error => fieldOf(error, 'code'))
    .filter(code => typeof code === 'number')
  const reason = `the service answered ${answer.status}${codes.length === 0 ? '' : ` (${codes.join(', ')})`}.`
  return { problem: unreadable(subject, reason, fixFor(answer.status, codes, permission)) }
}

/** A token that does not exist gets 401, and in a zone 403 with 9109, as one without the permission can. */
function fixFor(status: number, codes: readonly unknown[], permission: string): string {
  const [again, give] = [
    'The token in CLOUDFLARE_API_TOKEN is not valid: paste it again, or create another one.',
    `Give the token in CLOUDFLARE_API_TOKEN this permission: ${permission}.`,
  ]
  if (status === 401) return again
  if (status === 403) return codes.includes(9109) ? `${give} If it has it: ${again}` : give
  return "Run npm run drift again. If this persists, check the service's status page."
}
