import type { PlannedDecision } from './decide.ts'
import { differences } from './reconcile.ts'
import type { DnsApi } from './records/dns-api.ts'
import { nameDifferences } from './records/problems.ts'
import type { RecordBody } from './records/record.ts'
import type { RecordResult } from './result.ts'
import { carryOut } from './write.ts'

/** What this process wrote last, null if that is not known, and how often something else changed it, by type and name. */
export type Writes = Map<string, { readonly body: RecordBody | null; readonly changes: number }>

/** A person may have changed a record once. */
const minChanges = 2

/** Carries out a write and remembers it. Adds a note if something else has changed what this process wrote, from the second time on. */
export async function writeAndRemember(
  decision: PlannedDecision,
  api: DnsApi,
  writes: Writes,
): Promise<RecordResult> {
  const { slot, plan, notes } = decision
  const name = `${slot.type} ${slot.hostname}`
  const last = writes.get(name)
  const found = last?.body ? foundInPlaceOf(last.body, plan) : ''
  const changes = (last?.changes ?? 0) + (found === '' ? 0 : 1)
  const note =
    `Something else changed back what this process had written to ${slot.hostname} (${slot.type}), ${changes} times so far: ` +
    `${found}. Find the other program, and let only one of them update the record.`
  const isNoted = found !== '' && changes >= minChanges
  const result = await carryOut({ ...decision, notes: isNoted ? [...notes, note] : notes }, api)
  writes.set(name, { body: result.written ? plan.body : null, changes })
  return result
}

function foundInPlaceOf(body: RecordBody, plan: PlannedDecision['plan']): string {
  return plan.kind === 'create' ? 'the record is gone' : nameDifferences(differences(plan.record, body, null))
}
