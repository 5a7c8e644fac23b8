import type { HttpRequest } from '../../action/exchange.ts'
import type { SeenRecord } from '../support/record-judge.ts'

/** A record as the API shows it. Immutable, so that old lists stay valid. */
export interface ApiRecord extends SeenRecord {
  readonly comment: string | null
  readonly tags: readonly string[]
  readonly settings: Readonly<Record<string, unknown>>
  /** Only lists show `shadowed_by`, if they are asked for it. */
  readonly meta: { readonly read_only?: true; readonly shadowed_by?: readonly string[] }
}

/** What the service returns, and what the judge may conclude from it. */
export interface Reply {
  readonly status: number
  readonly body: string
  readonly truth: Truth | null
}

/** What a response shows of the zone: complete and correct when it was made. */
export type Truth =
  | { readonly kind: 'listed'; readonly name: string | null; readonly records: readonly ApiRecord[] }
  | { readonly kind: 'written'; readonly record: ApiRecord }

/** One change of a record by a request. `before` is null for a new one. */
export interface Commit {
  readonly before: ApiRecord | null
  readonly after: ApiRecord
}

const namePageSize = 100
const maxPageSize = 1000

/** One zone of the service, reduced to what a round uses. Shares no code with the action or the sandbox. */
export class Zone {
  readonly id: string
  readonly name: string
  records: readonly ApiRecord[] = []
  #created = 0
  /** The bodies of lists since the last change. */
  readonly #bodies = new Map<string, Reply>()

  constructor(id: string, name: string) {
    this.id = id
    this.name = name
  }

  add(fields: Pick<ApiRecord, 'type' | 'name' | 'content'> & Partial<ApiRecord>): ApiRecord {
    this.#created++
    const record: ApiRecord = {
      id: (0xabc0000 + this.#created).toString(16).padStart(32, '0'),
      ttl: 120,
      proxied: false,
      comment: null,
      tags: [],
      settings: {},
      meta: {},
      ...fields,
    }
    this.#set([...this.records, record])
    return record
  }

  edit(id: string, fields: Partial<ApiRecord>): void {
    this.#set(this.records.map(record => (record.id === id ? { ...record, ...fields } : record)))
  }

  remove(id: string): void {
    this.#set(this.records.filter(record => record.id !== id))
  }

  /** Carries out a request. `onCommit` hears of a change. A PUT that `loses` stores only the five fields. */
  handle(
    { method, url, body }: Pick<HttpRequest, 'method' | 'url' | 'body'>,
    onCommit: (commit: Commit) => void,
    loses = false,
  ): Reply {
    const [path = '', query = ''] = url.slice(url.indexOf('/client/')).split('?')
    const place = `/client/v4/zones/${this.id}/dns_records`
    if (path === place && method === 'GET') return this.#list(new URLSearchParams(query))
    if (path === place && method === 'POST') return this.#create(body, onCommit)
    const id = path.startsWith(`${place}/`) ? path.slice(place.length + 1) : null
    if (id !== null && method === 'PUT') return this.#replace(id, body, onCommit, loses)
    return refusal(400, 7003, 'Could not route to the zone')
  }

  #set(records: readonly ApiRecord[]): void {
    this.records = records
    this.#bodies.clear()
  }

  #list(query: URLSearchParams): Reply {
    const key = query.toString()
    const known = this.#bodies.get(key)
    if (known) return known
    const name = query.get('name')
    const found = name === null ? this.records : this.records.filter(record => record.name === name)
    const perPage = Math.min(Number(query.get('per_page') ?? namePageSize), maxPageSize)
    const page = Number(query.get('page') ?? 1)
    const shown = found.slice((page - 1) * perPage, page * perPage)
    const body = JSON.stringify({
      result: query.get('include_shadow_metadata') === 'true' ? shown : shown.map(withoutShadows),
      success: true,
      errors: [],
      messages: [],
      result_info: {
        page,
        per_page: perPage,
        count: shown.length,
        total_count: found.length,
        total_pages: Math.max(1, Math.ceil(found.length / perPage)),
      },
    })
    // Without a query, the list only shows the suffix of the names.
    const truth: Truth | null = key === '' ? null : { kind: 'listed', name, records: shown }
    const reply: Reply = { status: 200, body, truth }
    this.#bodies.set(key, reply)
    return reply
  }

  #replace(id: string, body: string | undefined, onCommit: (commit: Commit) => void, loses: boolean): Reply {
    const before = this.records.find(record => record.id === id)
    if (!before) return refusal(404, 81044, 'Record does not exist.')
    const fields = readBody(body)
    if (!fields) return refusal(400, 9207, 'Request body is invalid.')
    const problem = this.#conflict(fields, id)
    if (problem) return problem
    // PUT overwrites: what the body leaves out is gone.
    const none = { comment: null, tags: [], settings: {} }
    const { type, name, content, ttl, proxied } = fields
    const stored = loses ? { type, name, content, ttl, proxied } : fields
    const after: ApiRecord = { ...none, ...stored, id, meta: before.meta }
    this.#set(this.records.map(record => (record.id === id ? after : record)))
    onCommit({ before, after })
    return shownRecord(after)
  }

  #create(body: string | undefined, onCommit: (commit: Commit) => void): Reply {
    const fields = readBody(body)
    if (!fields) return refusal(400, 9207, 'Request body is invalid.')
    const problem = this.#conflict(fields, null)
    if (problem) return problem
    const inZone = fields.name === this.name || fields.name.endsWith(`.${this.name}`)
    const after = this.add({ ...fields, name: inZone ? fields.name : `${fields.name}.${this.name}` })
    onCommit({ before: null, after })
    return shownRecord(after)
  }

  #conflict(fields: Pick<ApiRecord, 'type' | 'name' | 'content'>, id: string | null): Reply | null {
    const others = this.records.filter(record => record.name === fields.name && record.id !== id)
    if (others.some(({ type }) => type === 'CNAME')) {
      return refusal(400, 81054, 'A CNAME record with that host already exists.')
    }
    return others.some(({ type, content }) => type === fields.type && content === fields.content)
      ? refusal(400, 81058, 'An identical record already exists.')
      : null
  }
}

type Sent = Pick<ApiRecord, 'type' | 'name' | 'content' | 'ttl' | 'proxied'> & Partial<ApiRecord>

/** Reads the fields of a write. A proxied record has the ttl 1. */
function readBody(body: string | undefined): Sent | null {
  const fields: Sent = JSON.parse(body ?? 'null')
  const isWhole =
    typeof fields?.type === 'string' &&
    typeof fields.name === 'string' &&
    typeof fields.content === 'string' &&
    typeof fields.ttl === 'number' &&
    typeof fields.proxied === 'boolean'
  return isWhole ? { ...fields, ttl: fields.proxied ? 1 : fields.ttl } : null
}

function withoutShadows({ meta: { shadowed_by, ...meta }, ...record }: ApiRecord): object {
  return { ...record, meta }
}

function shownRecord(record: ApiRecord): Reply {
  const body = JSON.stringify({ result: withoutShadows(record), success: true, errors: [], messages: [] })
  return { status: 200, body, truth: { kind: 'written', record } }
}

/** Returns an error as the service words it. */
export function refusal(status: number, code: number, message: string): Reply {
  const body = JSON.stringify({ success: false, errors: [{ code, message }], messages: [], result: null })
  return { status, body, truth: null }
}
