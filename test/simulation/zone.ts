import type { HttpRequest } from '../../lib/exchange.ts'
import { parseObject } from '../../lib/json.ts'
import { refusalAnswer, type Success, toAnswer } from '../../sandbox/cloudflare/envelope.ts'
import { Refusal } from '../../sandbox/cloudflare/errors.ts'
import { type DnsRecord, makeRecord } from '../../sandbox/cloudflare/records/record.ts'
import { matchRoute, type ZoneCall } from '../../sandbox/cloudflare/route.ts'
import { routes } from '../../sandbox/cloudflare/routes.ts'
import { Store } from '../../sandbox/cloudflare/store.ts'
import { SeededIds } from '../../sandbox/http/seeded-ids.ts'

/** What the service returns, and what the judge may conclude from it. */
export interface Reply {
  readonly status: number
  readonly body: string
  readonly truth: Truth | null
}

/** What a response shows of the zone: complete and correct when it was made. */
export type Truth =
  | { readonly kind: 'listed'; readonly name: string | null; readonly records: readonly DnsRecord[] }
  | { readonly kind: 'written'; readonly record: DnsRecord }

/** One change of a record by a request. `before` is null for a new one. */
export interface Commit {
  readonly before: DnsRecord | null
  readonly after: DnsRecord
}

const now = '2026-11-05T12:00:00Z'

/** One zone, whose records the sandbox's operations read and write. */
export class Zone {
  readonly id: string
  readonly name: string
  records: readonly DnsRecord[] = []
  readonly #zone: ZoneCall['zone']
  readonly #store = new Store()
  readonly #ids = new SeededIds(1)
  /** What lists since the last change returned. */
  readonly #lists = new Map<string, Reply>()

  constructor(id: string, name: string) {
    this.id = id
    this.name = name
    this.#zone = { id, name, status: 'active', nameServers: [], createdOn: now }
    this.#store.replace({ zones: [this.#zone] })
  }

  add(fields: Pick<DnsRecord, 'type' | 'name' | 'content'> & Partial<DnsRecord>): void {
    const draft = { ttl: 120, proxied: false, settings: {}, comment: null, tags: [], ...fields }
    this.#store.put(this.#zone, makeRecord(this.#ids.id(), draft, now))
    this.#changed()
  }

  edit(id: string, fields: Partial<DnsRecord>): void {
    const record = this.#store.records(this.#zone).get(id)
    if (record) this.#store.put(this.#zone, { ...record, ...fields })
    this.#changed()
  }

  remove(id: string): void {
    this.#store.remove(this.#zone, id)
    this.#changed()
  }

  #changed(): void {
    this.records = this.#store.records(this.#zone).all()
    this.#lists.clear()
  }

  /** Carries out a request. `onCommit` hears of a change. */
  handle(
    { method, url, body: text = '' }: Pick<HttpRequest, 'method' | 'url' | 'body'>,
    onCommit: (commit: Commit) => void,
  ): Reply {
    const known = this.#lists.get(url)
    if (known && method === 'GET') return known
    const { pathname, searchParams: query } = new URL(url)
    const segments = pathname.replace('/client/v4/', '').split('/')
    const { route, params = {} } = matchRoute(routes, method, segments) ?? {}
    if (route?.on !== 'zone' || params['zone'] !== this.id) throw new Error(`No route for ${method} ${url}`)
    const before = this.#store.records(this.#zone).get(params['record'] ?? '') ?? null
    const parts = { store: this.#store, ids: this.#ids, clock: { now: () => 0 } }
    const call = { parts, zone: this.#zone, params, query, sent: parseObject(text) }
    // Operations on records use no other part of a call.
    let outcome: Success
    try {
      outcome = route.handle(call as unknown as ZoneCall) as Success
    } catch (error) {
      if (error instanceof Refusal) return refused(error)
      throw error
    }
    if (method !== 'GET') {
      const after = outcome.result as DnsRecord
      this.#changed()
      onCommit({ before, after })
      return {
        ...served(toAnswer({ ...outcome, result: withoutShadows(after) })),
        truth: { kind: 'written', record: after },
      }
    }
    const records = outcome.result as readonly DnsRecord[]
    const showsShadows = query.get('include_shadow_metadata') === 'true'
    const result = showsShadows ? records : records.map(withoutShadows)
    // Without a query, the list only shows the suffix of the names.
    const truth: Truth | null = query.size === 0 ? null : { kind: 'listed', name: query.get('name'), records }
    const reply = { ...served(toAnswer({ ...outcome, result })), truth }
    this.#lists.set(url, reply)
    return reply
  }
}

const served = ({ status, body }: ReturnType<typeof toAnswer>) => ({ status, body: String(body) })

const refused = (refusal: Refusal): Reply => ({ ...served(refusalAnswer(refusal)), truth: null })

/** Only lists show `shadowed_by`, if they are asked for it. */
function withoutShadows({ meta: { shadowed_by: _, ...meta }, ...record }: DnsRecord): object {
  return { ...record, meta }
}

/** Returns an error as the service words it. */
export function refusal(status: number, code: number, message: string): Reply {
  return refused(new Refusal(status, [{ code, message }]))
}
