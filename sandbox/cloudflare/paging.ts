import type { ResultInfo, Success } from './envelope.ts'
import { type Refusal, refuse } from './errors.ts'

/** How a listing is paged when the client does not say, and what it may say. */
export type PageLimits = { readonly byDefault: number; readonly most: number }

const invalid = (parameter: string): Refusal =>
  refuse(400, 'list.paging.invalid', { code: 1003, message: `${parameter} must be a positive integer` })

const readPositive = (text: string | null, byDefault: number, most: number): number | undefined => {
  if (text === null) return byDefault
  const number = Number(text)
  return /^\d{1,15}$/.test(text) && number >= 1 && number <= most ? number : undefined
}

/** Cuts the asked page out of a whole listing; a page past the end is empty. */
export const pageOf = (
  items: readonly unknown[],
  query: URLSearchParams,
  limits: PageLimits,
): Success | Refusal => {
  const page = readPositive(query.get('page'), 1, Number.MAX_SAFE_INTEGER)
  if (page === undefined) return invalid('page')
  const perPage = readPositive(query.get('per_page'), limits.byDefault, limits.most)
  if (perPage === undefined) return invalid('per_page')
  const result = items.slice((page - 1) * perPage, page * perPage)
  const resultInfo: ResultInfo = {
    page,
    per_page: perPage,
    count: result.length,
    total_count: items.length,
    total_pages: Math.ceil(items.length / perPage),
  }
  return { ok: true, result, resultInfo }
}
