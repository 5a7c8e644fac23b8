/**
 * A record, its fields in the order in which the service serves them. What was served until 2025 (`zone_id`,
 * `zone_name`, `locked`) is gone. Tests may put more fields, and types that the API does not write.
 */
export type DnsRecord = {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly content: string
  /** Of a mail exchange; the smaller is preferred. */
  readonly priority?: number
  readonly proxiable: boolean
  readonly proxied: boolean
  /** Seconds; 1 is automatic. */
  readonly ttl: number
  /** The parts of the content, for types that are written by them. */
  readonly data?: Readonly<Record<string, string | number>>
  readonly settings: Readonly<Record<string, boolean>>
  readonly meta: Readonly<Record<string, unknown>>
  readonly comment: string | null
  readonly tags: readonly string[]
  readonly created_on: string
  readonly modified_on: string
  readonly comment_modified_on?: string
  readonly tags_modified_on?: string
}

/** What a client decides of a record. */
export type RecordDraft = Pick<
  DnsRecord,
  'name' | 'type' | 'content' | 'priority' | 'proxied' | 'ttl' | 'data' | 'settings' | 'comment' | 'tags'
>

/** The types that the proxy can stand in front of. */
export const isProxiable = (type: string): boolean => type === 'A' || type === 'AAAA' || type === 'CNAME'

const sameTags = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((tag, at) => tag === other[at])

/**
 * The record that a draft makes, new or in the place of `previous`.
 * @param now RFC 3339
 */
export const makeRecord = (id: string, draft: RecordDraft, now: string, previous?: DnsRecord): DnsRecord => {
  const { name, type, content, priority, proxied, ttl, data, settings, comment, tags } = draft
  const commentModifiedOn = comment === (previous?.comment ?? null) ? previous?.comment_modified_on : now
  const tagsModifiedOn = sameTags(tags, previous?.tags ?? []) ? previous?.tags_modified_on : now
  return {
    id,
    name,
    type,
    content,
    ...(priority === undefined ? {} : { priority }),
    proxiable: isProxiable(type),
    proxied,
    ttl: proxied ? 1 : ttl,
    ...(data === undefined ? {} : { data }),
    settings,
    meta: previous?.meta ?? {},
    comment,
    tags,
    created_on: previous?.created_on ?? now,
    modified_on: now,
    ...(comment === null || commentModifiedOn === undefined
      ? {}
      : { comment_modified_on: commentModifiedOn }),
    ...(tags.length === 0 || tagsModifiedOn === undefined ? {} : { tags_modified_on: tagsModifiedOn }),
  }
}
