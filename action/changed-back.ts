import type { PlannedDecision } from './decide.ts'
import { differences } from './reconcile.ts'
import { nameDifferences } from './records/problems.ts'
import type { RecordBody } from './records/record.ts'
import { slotName } from './write.ts'

/** What this process wrote last, and how often something else changed what it had written, by the name of the record. */
export type Writes = Map<string, { readonly body: RecordBody | null; readonly changes: number }>

/** A person may have changed a record once. */
const minChanges = 2

/** Adds a note to a write if something else has changed what this process wrote to the record, from the second time on. */
export function noteChangedBack(decision: PlannedDecision, writes: Writes): PlannedDecision {
  const { slot, plan, notes } = decision
  const name = slotName(slot.hostname, slot.type)
  const { body = null, changes: before = 0 } = writes.get(name) ?? {}
  if (body === null) return decision
  const found =
    plan.kind === 'create' ? 'the record is gone' : nameDifferences(differences(plan.record, body, null))
  if (found === '') return decision
  const changes = before + 1
  writes.set(name, { body, changes })
  if (changes < minChanges) return decision
  const note =
    `Something else changed back what this process had written to ${slot.hostname} (${slot.type}), ${changes} times so far: ` +
    `${found}. Find the other program, and let only one of them update the record.`
  return { ...decision, notes: [...notes, note] }
}

/** Remembers what was written to a record; nothing if that is not known. */
export function rememberWrite({ slot, plan }: PlannedDecision, written: boolean, writes: Writes): void {
  const name = slotName(slot.hostname, slot.type)
  writes.set(name, { body: written ? plan.body : null, changes: writes.get(name)?.changes ?? 0 })
}
