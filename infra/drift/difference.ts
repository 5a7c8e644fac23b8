import { CommandError } from '../../lib/command.ts'
import { quoteValue } from '../../lib/quote.ts'
import { isSecret } from '../exported-state.ts'
import { timeOf } from '../json.ts'

/** What a comparison found: sentences for the operator, which never hold a secret. */
export interface Difference {
  /** `warns`: it still works, but will not for long or is not finished. `unread`: nobody knows. */
  readonly kind: 'differs' | 'warns' | 'unread'
  readonly text: string
  /** What to run or to do about it. */
  readonly fix: string
}

/** Returns a difference from what was declared. */
export const differs = (text: string, fix: string): Difference => ({ kind: 'differs', text, fix })

export const warns = (text: string, fix: string): Difference => ({ kind: 'warns', text, fix })

/** Reports something that the state has and that does not exist. */
export const gone = (subject: string, fix = 'Run pulumi up, which creates it again.'): Difference =>
  differs(`${subject} is in the state, but does not exist.`, fix)

/** Reports what the configuration declares and the state lacks: no run created it, or a run failed before it did. */
export const lacking = (...names: readonly string[]): readonly Difference[] => {
  const text = `The configuration declares what the state lacks: ${names.join(', ')}.`
  return names.length === 0 ? [] : [differs(text, 'Run pulumi up, which creates it.')]
}

/** Says where in the dashboard a Worker's setting is, for one that no run changes. */
export const inDashboard = (service: string, place: string): string =>
  `in the dashboard, under Workers & Pages, ${service}, Settings, ${place}`

/** Thrown in place of an answer, so that a blind run is never green. */
export class Unread extends CommandError {
  readonly difference: Difference

  /** @param reason ends with a full stop */
  constructor(subject: string, reason: string, fix: string) {
    const text = `Could not read ${subject}: ${reason}`
    super(`${text} ${fix}`)
    this.difference = { kind: 'unread', text, fix }
  }
}

/** A field of something that exists, with its value and the declared one, both in the same form. */
export type Field = readonly [name: string, found: unknown, declared: unknown, fix?: string]

/**
 * Reports each field that differs, with both values. Lists are compared in order: sort them first. A value that the stack
 * keeps secret is encrypted in the state, so it is not compared.
 */
export function fieldDifferences(subject: string, fields: readonly Field[]): readonly Difference[] {
  return fields
    .filter(([, found, declared]) => !isSecret(declared) && !isEqual(found, declared))
    .map(([name, found, declared, fix]) =>
      differs(
        `${subject} has ${name} = ${quoteValue(found)} instead of ${quoteValue(declared)}.`,
        fix ?? 'Find out who changed it. Then run pulumi up, which sets it as declared.',
      ),
    )
}

const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** Returns the texts of a list in order, since their order at a service does not matter. */
export const sorted = (list: readonly unknown[]): readonly string[] => list.map(String).toSorted()

/**
 * Reports something that was changed after the last run saw it. Services and providers cut the fraction of a second in
 * different places (seen with cloudflare 5.22).
 */
export function changeDifferences(
  subject: string,
  changed: unknown,
  recorded: unknown,
  fix: string,
): readonly Difference[] {
  const [at, before] = [timeOf(changed), timeOf(recorded)]
  if (at === null || before === null || at - before < 1000) return []
  return [
    differs(
      `${subject} was changed at ${quoteValue(String(changed))}, and the last run saw it as of ${quoteValue(String(recorded))}.`,
      fix,
    ),
  ]
}
