import { isIPv4 } from 'node:net'

/** An error as the DNS service reports it. The message is remote text: quote it before printing. */
export interface ServiceError {
  readonly code: number
  readonly message: string
}

export interface Envelope {
  readonly success: boolean
  /** Every error with the links of its chain behind it: the service uses a flat and a chained form. */
  readonly errors: readonly ServiceError[]
  readonly result: unknown
  /** How many entries match in all; null when the answer does not say. */
  readonly totalCount: number | null
}

/** A DNS record as the service lists it, reduced to what a decision or a replacement needs. */
export interface DnsRecord {
  readonly id: string
  readonly type: string
  readonly name: string
  readonly content: string
  /** Seconds; 1 means automatic. */
  readonly ttl: number
  readonly proxied: boolean
  readonly comment: string | null
  readonly tags: readonly string[]
  readonly settings: Readonly<Record<string, unknown>>
  readonly readOnly: boolean
}

const maxErrors = 10

/** The whole body as one envelope, or null when it is anything else (HTML, empty, cut, another JSON). */
export function parseEnvelope(body: string): Envelope | null {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    return null
  }
  if (!isObject(json) || typeof json['success'] !== 'boolean') return null
  const info = json['result_info']
  const total = isObject(info) ? info['total_count'] : undefined
  return {
    success: json['success'],
    errors: errorsIn(json['errors']).slice(0, maxErrors),
    result: json['result'],
    totalCount: typeof total === 'number' ? total : null,
  }
}

function errorsIn(value: unknown): ServiceError[] {
  if (!Array.isArray(value)) return []
  return value.filter(isObject).flatMap(error => {
    const { code, message } = error
    const own =
      typeof code === 'number' ? [{ code, message: typeof message === 'string' ? message : '' }] : []
    return [...own, ...errorsIn(error['error_chain'])]
  })
}

/**
 * One record, or null when a field that this type needs is missing or of the wrong kind. An A record must be whole
 * and hold an IPv4 address, since its fields are compared and written back; of other types only id, type and name
 * are used.
 */
export function parseRecord(value: unknown): DnsRecord | null {
  if (!isObject(value)) return null
  const { id, type, name, content, ttl, proxied, comment, tags, settings, meta } = value
  if (typeof id !== 'string' || !/^[0-9a-f]{32}$/.test(id)) return null
  if (typeof type !== 'string' || typeof name !== 'string') return null
  const address = typeof content === 'string' && isIPv4(content)
  if (type === 'A' && !(address && Number.isInteger(ttl) && typeof proxied === 'boolean')) return null
  return {
    id,
    type,
    name,
    content: typeof content === 'string' ? content : '',
    ttl: typeof ttl === 'number' ? ttl : 1,
    proxied: proxied === true,
    comment: typeof comment === 'string' && comment !== '' ? comment : null,
    tags: Array.isArray(tags) ? tags.filter(tag => typeof tag === 'string') : [],
    settings: isObject(settings) ? settings : {},
    readOnly: isObject(meta) && meta['read_only'] === true,
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
