import type { ResultInfo, Success } from './envelope.ts'
import { refuse } from './errors.ts'

/** The default and maximum of `per_page`. */
interface PageSize {
  readonly default: number
  readonly max: number
}

/** Reads a whole number from 1 to `max`, or refuses the request. */
function readNumber(query: URLSearchParams, parameter: string, byDefault: number, max: number): number {
  const text = query.get(parameter)
  if (text === null) return byDefault
  const number = Number(text)
  if (/^\d{1,15}$/.test(text) && number >= 1 && number <= max) return number
  const limit = max < Number.MAX_SAFE_INTEGER ? `from 1 to ${max}` : 'of at least 1'
  const message = `${parameter} must be a whole number ${limit}`
  // assumed: A request with a page or per_page out of range gets 400 with code 1003. [number and wording from memory of an older
  // error list]
  throw refuse(400, { code: 1003, message })
}

/** Returns the requested page of a list. A page past the end is empty. */
export function pageOf<Item>(
  items: readonly Item[],
  query: URLSearchParams,
  pageSize: PageSize,
): Success & { readonly result: readonly Item[] } {
  const page = readNumber(query, 'page', 1, Number.MAX_SAFE_INTEGER)
  const perPage = readNumber(query, 'per_page', pageSize.default, pageSize.max)
  const result = items.slice((page - 1) * perPage, page * perPage)
  const resultInfo: ResultInfo = {
    page,
    per_page: perPage,
    count: result.length,
    total_count: items.length,
    total_pages: Math.ceil(items.length / perPage),
  }
  return { kind: 'success', result, resultInfo }
}
