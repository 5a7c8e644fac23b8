/**
 * A record, with its fields in the order of the service. Since 2025, `zone_id`, `zone_name` and `locked` are no longer
 * among them. Nor are, here, the times of its comment and tags. Through the state, tests can add other fields and types that
 * the API cannot create.
 */
export interface DnsRecord {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly content: string
  /** For MX records. */
  readonly priority?: number
  readonly proxiable: boolean
  readonly proxied: boolean
  /** In seconds; 1 means automatic. */
  readonly ttl: number
  /** The structured content, for types that have one. */
  readonly data?: Readonly<Record<string, string | number>>
  readonly settings: Readonly<Record<string, boolean>>
  /** Only if it was sent. */
  readonly private_routing?: boolean
  readonly meta: Readonly<Record<string, unknown>>
  readonly comment: string | null
  readonly tags: readonly string[]
  readonly created_on: string
  readonly modified_on: string
}

/** The fields of a record that a client sets. */
export type RecordDraft = Pick<
  DnsRecord,
  | 'name'
  | 'type'
  | 'content'
  | 'priority'
  | 'proxied'
  | 'ttl'
  | 'data'
  | 'settings'
  | 'private_routing'
  | 'comment'
  | 'tags'
>

/** The fields of a record that has only a name, a type and a content. */
export const plainFields = { proxied: false, ttl: 1, settings: {}, comment: null, tags: [] }

/** Whether records of a type can be proxied. */
export const isProxiable = (type: string): boolean => type === 'A' || type === 'AAAA' || type === 'CNAME'

/**
 * Builds a record from a draft: a new one, or a replacement of `previous`.
 * @param now the timestamp, in RFC 3339
 */
export function makeRecord(id: string, draft: RecordDraft, now: string, previous?: DnsRecord): DnsRecord {
  const { name, type, content, priority, proxied, ttl, data, settings, comment, tags } = draft
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
    ...(draft.private_routing === undefined ? {} : { private_routing: draft.private_routing }),
    meta: previous?.meta ?? {},
    comment,
    tags,
    created_on: previous?.created_on ?? now,
    modified_on: now,
  }
}
