import type { DnsRecord } from './record.ts'

/** The filters of a list request. */
interface RecordQuery {
  /** Null for every name. */
  readonly name: string | null
  readonly test: (record: DnsRecord) => boolean
}

/**
 * Reads the filters of a list request: the exact `name`, in any case, and the `type`. Ignores the others of the API, which nothing
 * here sends.
 */
export function readRecordQuery(query: URLSearchParams): RecordQuery {
  const [name, type] = [query.get('name'), query.get('type')]
  return {
    name,
    test: record =>
      (name === null || record.name.toLowerCase() === name.toLowerCase()) &&
      (type === null || record.type === type),
  }
}
