/** A record as the service shows it, with the fields that the rules are about. */
export interface SeenRecord {
  readonly id: string
  readonly type: string
  readonly name: string
  readonly content: string
  readonly ttl: number
  readonly proxied: boolean
  readonly comment?: string | null
  readonly tags?: readonly string[]
  readonly settings?: Readonly<Record<string, unknown>>
  readonly private_routing?: boolean
  readonly meta: { readonly read_only?: unknown; readonly shadowed_by?: unknown }
}

/** What a round says of a record at its end. */
export interface Claim {
  readonly hostname: string
  readonly type: string
  readonly address: string | null
  readonly result: string
  /** Whether the round says that it changed the record. */
  readonly changed: boolean
  readonly problem: { readonly reason: string; readonly message: string } | null
}

/** What a round is there for. */
export interface Task {
  readonly names: readonly string[]
  readonly types: readonly string[]
  readonly create: boolean
  readonly onDrift: 'warn' | 'repair'
  readonly dryRun: boolean
  /** Null if it leaves an existing record as it is, and creates one that is not proxied. */
  readonly proxied: boolean | null
  /** Whether it decides on the types of a name one after the other, not on all before the first write. */
  readonly inTurn: boolean
}

/** What a round did to one record, and what it could know of it. */
class Slot {
  /** The records of its type and the aliases that the name is known to hold; null until it is read, after a write again. */
  view: readonly SeenRecord[] | null = null
  /** The last write, and the record that it was based on; undefined for a creation. */
  write: { readonly isCreation: boolean; readonly content: string; readonly basis?: SeenRecord } | null = null
  /** Whether the round saw the record as wanted after a write of its own, even if another run wrote it. */
  isConfirmed = false
  /** Whether the round is done with the record. What is read later says nothing more about it. */
  isClosed = false
  /** Whether the lists before the first write showed it as hidden by NS records, and none after it as visible. */
  isHidden = false
  /** Whether any list showed it as hidden. */
  wasHidden = false
  /** Whether the service carried out a write, of this content or of another. */
  isWritten = false

  /** The round sees what the name holds. Reading a record back also shows other records at its name. */
  see(view: readonly SeenRecord[], isListed: boolean): void {
    if (this.isClosed) return
    this.view = view
    const { write } = this
    const [shown, ...others] = view
    const isRight = shown?.content === write?.content && others.length === 0
    // Another run may have created the record too, which only a list shows.
    if (!write || !isRight || (write.isCreation && !isListed)) return
    this.isConfirmed = true
    this.isClosed = !shown || !write.basis || carriedOver(shown) === carriedOver(write.basis)
  }
}

const greenResults = ['unchanged', 'updated', 'created']

/** Judges what one round does to records and what it says of them in the end. Shares no code with the action. */
export class RecordJudge {
  readonly #task: Task
  readonly #judgeAddress: (type: string, content: string) => void
  /** Hears of broken rules: `report` tells of another write than there was, `green` hides a failure. */
  readonly #violate: (rule: string, detail: string) => void
  readonly #slots = new Map<string, Slot>()

  /** `judgeAddress` reports an address that the round may not write, or call right. */
  constructor(
    task: Task,
    judgeAddress: (type: string, content: string) => void,
    violate: (rule: string, detail: string) => void,
  ) {
    this.#task = task
    this.#judgeAddress = judgeAddress
    this.#violate = violate
  }

  slot(type: string, name: string): Slot {
    const slot = this.#slots.get(`${type} ${name}`) ?? new Slot()
    this.#slots.set(`${type} ${name}`, slot)
    return slot
  }

  /** The round has received a list: of one name, or of the zone. */
  listed(listedName: string | null, listed: readonly SeenRecord[]): void {
    for (const name of listedName === null ? this.#task.names : [listedName]) {
      // A list after a write may be for the record of the other type.
      const isBefore = this.#task.types.every(type => this.slot(type, name).write === null)
      for (const type of this.#task.types) {
        const slot = this.slot(type, name)
        const view = listed.filter(record => record.name === name && [type, 'CNAME'].includes(record.type))
        const isHidden = view.some(({ meta }) => meta.shadowed_by)
        slot.wasHidden ||= isHidden
        slot.isHidden = isHidden && (isBefore || slot.isHidden)
        slot.see(view, true)
      }
    }
  }

  /** The round has received the response to a write, with the record as it is now. */
  answered(record: SeenRecord): void {
    this.slot(record.type, record.name).see([record], false)
  }

  /** The round sends a write. The path is the part behind the zone. Returns the record that the write is based on. */
  sent(method: string, path: string, body: string): SeenRecord | null {
    const violate = (rule: string, detail: string) => this.#violate(rule, `${method} ${body}: ${detail}`)
    const { dryRun, names, types, create, onDrift, proxied, inTurn } = this.#task
    const fields: Partial<SeenRecord> = JSON.parse(body)
    const { type = '', name = '', content = '' } = fields
    if (dryRun) violate('dry-run', 'a write')
    if (!names.includes(name) || !types.includes(type)) violate('untouched', 'not a managed record')
    this.#judgeAddress(type, content)
    const slot = this.slot(type, name)
    const { view } = slot
    const [record, ...others] = view ?? []
    const wantedProxied = (inTurn ? null : proxied) ?? record?.proxied ?? false
    if (view && fields.proxied !== wantedProxied) violate('untouched', `proxied was ${record?.proxied}`)
    const isCreation = method === 'POST'
    // From here on, only another read shows what the name holds, and no read changes what was decided before.
    Object.assign(slot, { view: null, isConfirmed: false, isClosed: false })
    slot.write = { isCreation, content, ...(record && { basis: record }) }
    for (const other of inTurn ? types.slice(0, types.indexOf(type)) : types) {
      const decided = this.slot(other, name)
      decided.isClosed ||= decided.write === null
    }
    if (!view) {
      violate('write-twice', 'not read since the last write, or never')
      return null
    }
    if (isCreation) {
      if (path !== 'dns_records' || !create || record) violate('untouched', 'a needless creation')
      return null
    }
    if (!record || others.length > 0 || path !== `dns_records/${record.id}`) {
      violate('untouched', 'not the single record of the name')
      return null
    }
    if (record.meta.read_only) violate('untouched', 'read-only')
    const ttl = fields.proxied ? 1 : fields.ttl
    const drifted = record.ttl !== ttl || record.proxied !== fields.proxied
    if (record.content === content && !(drifted && onDrift === 'repair'))
      violate('write-twice', 'already confirmed')
    for (const field of ['comment', 'tags', 'settings', 'private_routing'] as const) {
      const [kept, sent] = [record[field], fields[field]].map(value => JSON.stringify(value ?? null))
      const isEmpty = kept === 'null' || kept === '[]' || kept === '{}'
      if (isEmpty ? fields[field] !== undefined : kept !== sent) violate('untouched', `${field} was ${kept}`)
    }
    return record
  }

  /** The round says what it did to a record. Returns the record that it calls right, if it does. */
  claimed({ hostname, type, address, result, changed, problem }: Claim): SeenRecord | undefined {
    const { view, write, isWritten, isConfirmed, isHidden } = this.slot(type, hostname)
    const says = `${type} ${hostname}: ${[result, problem?.reason, problem?.message].join(' ').trim()}`
    const violate = (rule: string, detail: string) => this.#violate(rule, `${says}: ${detail}`)
    const isGreen = greenResults.includes(result)
    const [shown] = view ?? []
    if (isGreen) {
      const held = (view ?? []).map(({ content }) => content)
      if (held.join() !== address) violate('green', `but holds ${held.join(' and ') || 'nothing'}`)
      if (isHidden) violate('green', 'but NS records hide it')
      const basis = write?.basis
      if (basis && shown && carriedOver(shown) !== carriedOver(basis))
        violate('green', `but ${carriedOver(basis)} became ${carriedOver(shown)}`)
      this.#judgeAddress(type, address ?? '')
    }
    if (isWritten && !changed && problem?.reason !== 'write-unconfirmed') violate('report', 'but wrote')
    // Another run may have written the same address while the answer to this run's write was lost.
    if (changed && !isWritten && !isConfirmed) violate('report', 'but did not write')
    return isGreen ? shown : undefined
  }
}

/** Returns what a replacement has to keep. A setting that is off is the same as none. */
function carriedOver({ comment, tags, settings, private_routing }: SeenRecord): string {
  const on = Object.entries(settings ?? {}).filter(([, setting]) => setting)
  return JSON.stringify([comment ?? null, tags ?? [], on, private_routing ?? false])
}
