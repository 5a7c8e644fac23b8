/** What a round did to a record, as the service knows it, and what the round says about it. */
export interface Claim {
  /** The contents that the service holds at the name, or the round saw there last. */
  readonly held: readonly string[]
  /** The content that it must hold after a good round; null if nobody can say. */
  readonly wanted: string | null
  /** Whether the service carried out a write. */
  readonly isWritten: boolean
  /** Whether the round saw the record as wanted after a write of its own, even if another run wrote it. */
  readonly isConfirmed: boolean
  /** Undefined if the round left no result. */
  readonly result: string | undefined
  /** Whether the round says that it changed the record. */
  readonly changed: boolean
  readonly reasons: readonly string[]
  /** Whether the round ends green: with the exit status 0, if it has one. */
  readonly isGreen: boolean
}

const greenResults = ['unchanged', 'updated', 'created']
const plannedResults = ['would-update', 'would-create']

/** A false claim: `report` tells of another write than there was, `green` hides a failure. */
export interface FalseClaim {
  readonly rule: 'report' | 'green'
  readonly detail: string
}

/** Returns what is false in a claim. Shares no code with the action. */
export function falseClaims(claim: Claim): readonly FalseClaim[] {
  const { held, wanted, isWritten, isConfirmed, result, changed, reasons, isGreen } = claim
  const wrong: FalseClaim[] = []
  const report = (detail: string) => wrong.push({ rule: 'report', detail })
  const green = (detail: string) => wrong.push({ rule: 'green', detail })
  const says = `says ${[result, ...reasons].join(' ')}`
  const admits = changed || reasons.includes('write-unconfirmed')
  if (isGreen) {
    if (![...greenResults, ...plannedResults].includes(result ?? '')) green(`green, but ${says}`)
    const isRight = held.length === 1 && held[0] === wanted
    if (!isRight && !plannedResults.includes(result ?? ''))
      green(`green, but holds ${held.join(' and ') || 'nothing'} instead of ${wanted}`)
  }
  if (isWritten && result !== undefined && !admits) report(`wrote, but ${says}`)
  // Another run may have written the same address while the answer to this run's write was lost.
  if (changed && !isWritten && !isConfirmed) report(`did not write, but ${says}`)
  return wrong
}

/** What a replacement of a record has to keep. */
interface Kept {
  readonly comment?: string | null
  readonly tags?: readonly string[]
  readonly settings?: Readonly<Record<string, unknown>>
  readonly private_routing?: boolean | null
}

/** Returns what a replacement has to keep. A setting that is off is the same as none. */
export function carriedOver({ comment, tags, settings, private_routing }: Kept): string {
  const on = Object.entries(settings ?? {}).filter(([, setting]) => setting)
  return JSON.stringify([comment ?? null, tags ?? [], on, private_routing ?? false])
}
