import { shownValue } from '../../shown.ts'
import { isSecret } from '../../stack-state.ts'
import { differs, type Finding } from '../finding.ts'

/** A field of something that exists, with its value and the declared one, both in the same form. */
export type Field = readonly [name: string, found: unknown, declared: unknown]

/**
 * Reports each field that differs, with both values. Lists are compared in order: sort them first. A value that the stack
 * keeps secret is encrypted in the state, so it is not compared.
 */
export function fieldDifferences(subject: string, fields: readonly Field[]): readonly Finding[] {
  return fields
    .filter(([, found, declared]) => !isSecret(declared) && !isEqual(found, declared))
    .map(([name, found, declared]) =>
      differs(
        `${subject} has ${name} = ${shownValue(found)} instead of ${shownValue(declared)}.`,
        'Find out who changed it. Then run pulumi up, which sets it as declared.',
      ),
    )
}

const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** Returns the texts of a list in order, so that the order of the service does not matter. */
export const sorted = (list: readonly unknown[]): readonly string[] => list.map(String).toSorted()

/** Reports something that the state has and that does not exist. */
export const gone = (subject: string, fix = 'Run pulumi up, which creates it again.'): Finding =>
  differs(`${subject} is in the state, but does not exist.`, fix)
