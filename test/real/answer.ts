import { readEnvelope } from '../../lib/cloudflare.ts'
import { explainFailure, type HttpOutcome } from '../../lib/exchange.ts'
import { isObject } from '../../lib/json.ts'
import { quoteValue } from '../../lib/quote.ts'
import { numberIn } from '../../src/sign-in/provider-errors.ts'
import { readFields } from './questions.ts'

/** What an answer of any of the services says, without its prose. */
export interface Answer {
  /** 0 if there is none. */
  readonly status: number
  /** Codes of Cloudflare, the error of OAuth or Graph, an AADSTS number, GitHub's message. */
  readonly codes: readonly unknown[]
  /** Those that we read. A redirect is an object: where to, and its parameters. */
  readonly headers: Readonly<Record<string, unknown>>
  /** JSON or text; null for a page. */
  readonly body: unknown
}

const readHeaders = ['content-type', 'retry-after', 'www-authenticate']

/** Reads an answer, or why there is none. */
export function readAnswer(outcome: HttpOutcome): Answer {
  if (outcome.kind === 'failure') return { status: 0, codes: [], headers: {}, body: explainFailure(outcome) }
  const { status, header, body: text } = outcome
  const body = /<html|<!doctype/i.test(text) ? null : parsed(text)
  const { error, message } = isObject(body) ? body : {}
  const location = URL.parse(header('location') ?? '')
  const sent = Object.fromEntries(location?.searchParams ?? [])
  const codes = [
    ...(readEnvelope(body)?.errors.map(({ code }) => code) ?? []),
    isObject(error) ? error['code'] : (error ?? sent['error']),
    numberIn(sent['error_description'] ?? text),
    status < 400 ? null : message,
  ]
  const headers = readHeaders.map(name => [name, header(name)?.split(';', 1)[0]])
  return {
    status,
    body,
    codes: codes.filter(code => code !== undefined && code !== null),
    headers: {
      ...Object.fromEntries(headers.filter(([, value]) => value !== undefined)),
      ...(location && { location: { to: location.origin + location.pathname, ...sent } }),
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const typeOf = (value: unknown) => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value)

/**
 * Returns where a value is not as wanted, as `PATH: the found instead of the wanted`. Fields in `readFields` are compared by
 * value, others by type, lists in order.
 * @param isWhole whether what is not wanted is a difference
 */
export function differences(wanted: unknown, found: unknown, isWhole: boolean, path = ''): readonly string[] {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const isSame = typeOf(wanted) === typeOf(found) && (!readFields.has(name) || wanted === found)
  if (typeof wanted !== 'object' || wanted === null || typeOf(wanted) !== typeOf(found))
    return isSame ? [] : [`${path}: ${quoteValue(found)} instead of ${quoteValue(wanted)}`]
  const [one, other] = [{ ...wanted }, { ...(found as object) }] as Record<string, unknown>[]
  const names = Object.keys({ ...one, ...(isWhole && other) })
  const below = (key: string) => (Array.isArray(wanted) && readFields.has(name) ? name : key)
  return names.flatMap(key => differences(one?.[key], other?.[key], isWhole, `${path}/${below(key)}`))
}
