/**
 * Where the knowledge of a behaviour is from: `documented` by the service or a standard, `observed` by others at the
 * real service, `tried` by this project on loopback, `assumed` because nobody said.
 */
export type Source = 'documented' | 'observed' | 'tried' | 'assumed'

/** One behaviour: a sentence that says what it is, and where that is known from. */
export type Entry = { readonly what: string; readonly source: Source; readonly where: string }

/** @param where the document */
export const documented = (what: string, where: string): Entry => ({ what, source: 'documented', where })

/** @param where the thread, with the date of what was seen */
export const observed = (what: string, where: string): Entry => ({ what, source: 'observed', where })

/** @param where with what it was tried */
export const tried = (what: string, where: string): Entry => ({ what, source: 'tried', where })

/** @param where what there is instead of knowledge */
export const assumed = (what: string, where: string): Entry => ({ what, source: 'assumed', where })
