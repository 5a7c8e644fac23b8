import { requestLimit } from '../handler-settings.ts'
import { exchange, type HttpAnswer, requireSafeUrl } from '../http.ts'
import { fieldOf, listOf } from '../policy/rule.ts'
import { Refusal } from '../program.ts'
import { recordArguments } from '../record.ts'
import type { Settings } from '../settings.ts'

/** A binding of a Worker as the service returns it. */
export interface FoundBinding {
  readonly name: string
  readonly type: string
  /** Text, database ID or request limit; null if the service does not return it, as for a secret. */
  readonly value: string | null
}

export interface FoundToken {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly issuedOn: string | null
}

export interface FoundRecord {
  readonly id: string
  readonly name: string
  readonly type: string
}

/** What was read, or why it is unknown: `problem` continues the sentence `Could not read SUBJECT:`. */
export type ReadResult<T> =
  | { readonly value: T }
  | { readonly subject: string; readonly problem: string; readonly cure: string }

/** What the service has that a preview does not show. */
export interface Found {
  /** Null if there is no such Worker. */
  readonly bindings: ReadResult<readonly FoundBinding[] | null>
  readonly tokens: ReadResult<readonly FoundToken[]>
  readonly records: ReadResult<readonly FoundRecord[]>
}

/** Reads a path of the DNS service. */
export type Read = (path: string) => Promise<HttpAnswer>

const perPage = 50
const maxPages = 100

/** @throws Refusal if there is no token, or the base URL is not safe */
export function connect(apiUrl: string, { CLOUDFLARE_API_TOKEN: token }: NodeJS.ProcessEnv): Read {
  if (!token) {
    throw new Refusal(
      'CLOUDFLARE_API_TOKEN is not set. Set it to a token that may read DNS, Workers scripts, D1 and API tokens.',
    )
  }
  const root = requireSafeUrl(apiUrl, 'The base URL of the DNS service')
  return path => exchange(`${root}${path}`, { headers: { authorization: `Bearer ${token}` } })
}

/** Reads everything that is compared. A part that cannot be read does not hide the others. */
export async function readDeployed(read: Read, settings: Settings, serviceName: string): Promise<Found> {
  const [bindings, tokens, records] = await Promise.all([
    readBindings(read, settings, serviceName),
    readTokens(read, settings),
    readRecords(read, settings),
  ])
  return { bindings, tokens, records }
}

async function readBindings(
  read: Read,
  { accountId }: Settings,
  serviceName: string,
): Promise<ReadResult<readonly FoundBinding[] | null>> {
  const answer = await read(`/accounts/${accountId}/workers/scripts/${serviceName}/settings`)
  if (answer.status === 404) return { value: null }
  const found = fieldOf(resultOf(answer), 'bindings')
  if (!Array.isArray(found)) return unread('the bindings of the Worker', answer, 'Workers Scripts Read')
  return {
    value: found.map(one => ({
      name: textOf(one, 'name') ?? '',
      type: textOf(one, 'type') ?? '',
      value: textOf(one, 'text') ?? textOf(one, 'database_id') ?? textOf(one, 'id') ?? limitOf(one),
    })),
  }
}

function readTokens(read: Read, { accountId, token }: Settings): Promise<ReadResult<readonly FoundToken[]>> {
  const [path, permission] =
    token.owner === 'account'
      ? [`/accounts/${accountId}/tokens`, 'Account API Tokens Read']
      : ['/user/tokens', 'API Tokens Read, as the person who owns mintingApiToken']
  return readPages(read, `${path}?`, 'the tokens', permission, one => ({
    id: textOf(one, 'id') ?? '',
    name: textOf(one, 'name') ?? '',
    status: textOf(one, 'status') ?? '',
    issuedOn: textOf(one, 'issued_on'),
  }))
}

function readRecords(read: Read, settings: Settings): Promise<ReadResult<readonly FoundRecord[]>> {
  const { zoneId, name, type } = recordArguments(settings)
  const path = `/zones/${zoneId}/dns_records?${new URLSearchParams({ name, type })}&`
  return readPages(read, path, 'the records', 'DNS Read', one => ({
    id: textOf(one, 'id') ?? '',
    name: textOf(one, 'name') ?? '',
    type: textOf(one, 'type') ?? '',
  }))
}

/** Reads a list to its end. An incomplete list counts as unread. */
async function readPages<T>(
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
  return {
    subject,
    problem: `there are more than ${perPage * maxPages}.`,
    cure: 'Delete those that nobody uses, then run npm run drift again.',
  }
}

/** Returns the `result` of a successful envelope, else undefined. */
export function resultOf(answer: HttpAnswer): unknown {
  if (answer.status !== 200) return undefined
  return fieldOf(answer.body, 'success') === true ? fieldOf(answer.body, 'result') : undefined
}

function unread(subject: string, answer: HttpAnswer, permission: string): ReadResult<never> {
  if (answer.status === null) {
    return { subject, problem: `${answer.problem}.`, cure: 'Run npm run drift again.' }
  }
  const codes = listOf(fieldOf(answer.body, 'errors'))
    .map(error => fieldOf(error, 'code'))
    .filter(code => typeof code === 'number')
  const problem = `the service answered ${answer.status}${codes.length === 0 ? '' : ` (${codes.join(', ')})`}.`
  return answer.status === 401 || answer.status === 403
    ? { subject, problem, cure: `Give the token in CLOUDFLARE_API_TOKEN this permission: ${permission}.` }
    : {
        subject,
        problem,
        cure: "Run npm run drift again. If this persists, check the service's status page.",
      }
}

/** Returns the limit of a rate-limit binding, formatted like a declared one. */
function limitOf(binding: unknown): string | null {
  const simple = fieldOf(binding, 'simple')
  const [limit, period] = [fieldOf(simple, 'limit'), fieldOf(simple, 'period')]
  return typeof limit === 'number' && typeof period === 'number' ? requestLimit({ limit, period }) : null
}

function textOf(value: unknown, name: string): string | null {
  const text = fieldOf(value, name)
  return typeof text === 'string' ? text : null
}
