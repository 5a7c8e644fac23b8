import { type Refusal, refuse } from '../errors.ts'
import type { LedgerId } from '../ledger/ledger.ts'
import type { DnsRecord } from './record.ts'

type Test = (record: DnsRecord) => boolean

/** The filters and the sort order of a list request. */
interface RecordQuery {
  /** If not null, only records with exactly this name match, so the index by name can be used. */
  readonly name: string | null
  readonly test: Test
  readonly compare: ((one: DnsRecord, other: DnsRecord) => number) | null
  readonly cites: readonly LedgerId[]
}

const fold = (text: string): string => text.toLowerCase()

/** Comparisons of lower-case texts. */
const comparisons: Readonly<Record<string, (text: string, wanted: string) => boolean>> = {
  exact: (text, wanted) => text === wanted,
  contains: (text, wanted) => text.includes(wanted),
  startswith: (text, wanted) => text.startsWith(wanted),
  endswith: (text, wanted) => text.endsWith(wanted),
}

/** Returns the comparisons requested for a field. The field's bare name means `exact`. */
const comparisonsIn = (query: URLSearchParams, field: string): [comparison: string, wanted: string][] =>
  [...query].flatMap(([name, wanted]): [string, string][] => {
    if (name === field) return [['exact', wanted]]
    return name.startsWith(`${field}.`) ? [[name.slice(field.length + 1), wanted]] : []
  })

const textTests = (
  query: URLSearchParams,
  field: 'name' | 'content' | 'comment',
  textOf: (record: DnsRecord) => string | null,
): Test[] =>
  comparisonsIn(query, field).flatMap(([comparison, wanted]): Test[] => {
    const compare = Object.hasOwn(comparisons, comparison) ? comparisons[comparison] : undefined
    if (compare === undefined) return []
    return [
      record => {
        const text = textOf(record)
        return text !== null && compare(fold(text), fold(wanted))
      },
    ]
  })

const commentTests = (query: URLSearchParams): Test[] => [
  ...textTests(query, 'comment', ({ comment }) => comment),
  ...(query.has('comment.present') ? [({ comment }: DnsRecord) => comment !== null] : []),
  ...(query.has('comment.absent') ? [({ comment }: DnsRecord) => comment === null] : []),
]

/** Splits a tag into its name and optional value. */
function splitTag(tag: string): [name: string, value: string | undefined] {
  const colon = tag.indexOf(':')
  return colon < 0 ? [fold(tag), undefined] : [fold(tag.slice(0, colon)), fold(tag.slice(colon + 1))]
}

const hasTag = ({ tags }: DnsRecord, name: string, fits: (value: string) => boolean): boolean =>
  tags.some(tag => {
    const [tagName, tagValue = ''] = splitTag(tag)
    return tagName === name && fits(tagValue)
  })

const tagTests = (query: URLSearchParams): Test[] =>
  comparisonsIn(query, 'tag').flatMap(([comparison, wanted]): Test[] => {
    const [name, tagValue] = splitTag(wanted)
    if (comparison === 'present') return [record => hasTag(record, name, () => true)]
    if (comparison === 'absent') return [record => !hasTag(record, name, () => true)]
    const compare = Object.hasOwn(comparisons, comparison) ? comparisons[comparison] : undefined
    if (compare === undefined) return []
    // A filter without a value matches the name alone (API reference, DNS Records).
    return [record => hasTag(record, name, has => tagValue === undefined || compare(has, tagValue))]
  })

function searchTest(text: string): Test {
  const wanted = fold(text)
  return ({ name, content, comment, tags }) =>
    [name, content, comment ?? '', ...tags].some(field => fold(field).includes(wanted))
}

const all =
  (tests: readonly Test[]): Test =>
  record =>
    tests.every(test => test(record))

const any =
  (tests: readonly Test[]): Test =>
  record =>
    tests.some(test => test(record))

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const orders: Readonly<Record<string, (one: DnsRecord, other: DnsRecord) => number>> = {
  type: (one, other) => compareText(one.type, other.type),
  name: (one, other) => compareText(one.name, other.name),
  content: (one, other) => compareText(one.content, other.content),
  ttl: (one, other) => one.ttl - other.ttl,
  proxied: (one, other) => Number(one.proxied) - Number(other.proxied),
}

const choices: Readonly<Record<string, readonly string[]>> = {
  match: ['all', 'any'],
  tag_match: ['all', 'any'],
  order: Object.keys(orders),
  direction: ['asc', 'desc'],
  proxied: ['true', 'false'],
}

function refuseChoice(query: URLSearchParams): Refusal | null {
  const invalid = Object.entries(choices).find(([parameter, allowed]) => {
    const given = query.get(parameter)
    return given !== null && !allowed.includes(given)
  })
  if (invalid === undefined) return null
  const [parameter, allowed] = invalid
  return refuse(400, 'records.list.choice', {
    code: 1003,
    message: `${parameter} must be one of ${allowed.join(', ')}`,
  })
}

/** The ledger entry of each parameter. The first match wins. */
const entries: readonly (readonly [parameter: RegExp, id: LedgerId])[] = [
  [/^name(\.exact)?$/, 'records.list.name'],
  [/^(type|proxied|content(\.exact)?)$/, 'records.list.filters'],
  [/^(name|content)\./, 'records.list.partial'],
  [/^comment(\.|$)/, 'records.list.comment'],
  [/^tag(\.|$)/, 'records.list.tags'],
  [/^(tag_)?match$/, 'records.list.match'],
  [/^(order|direction)$/, 'records.list.order'],
  [/^search$/, 'records.list.search'],
]

const citesOf = (query: URLSearchParams): LedgerId[] =>
  [...query.keys()].flatMap(parameter => entries.find(([pattern]) => pattern.test(parameter))?.[1] ?? [])

/** Reads the filters and sort order of a list request. Ignores unknown parameters. */
export function readRecordQuery(query: URLSearchParams): RecordQuery | Refusal {
  const refusal = refuseChoice(query)
  if (refusal) return refusal
  const [type, proxied, search, order] = ['type', 'proxied', 'search', 'order'].map(name => query.get(name))
  const tags = tagTests(query)
  const fields = [
    ...textTests(query, 'name', ({ name }) => name),
    ...textTests(query, 'content', ({ content }) => content),
    ...commentTests(query),
    ...(type == null ? [] : [(record: DnsRecord) => record.type === type]),
    ...(proxied == null ? [] : [(record: DnsRecord) => String(record.proxied) === proxied]),
    ...(tags.length === 0 ? [] : [query.get('tag_match') === 'any' ? any(tags) : all(tags)]),
  ]
  const anyField = query.get('match') === 'any' && fields.length > 0
  const matches = anyField ? any(fields) : all(fields)
  const found = search == null ? () => true : searchTest(search)
  const compare = order == null ? null : (orders[order] ?? null)
  const descending = query.get('direction') === 'desc'
  return {
    name: anyField ? null : (query.get('name') ?? query.get('name.exact')),
    test: record => matches(record) && found(record),
    compare: compare && descending ? (one, other) => compare(other, one) : compare,
    cites: citesOf(query),
  }
}
