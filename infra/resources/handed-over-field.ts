import { fieldOf, timeOf } from '../json.ts'
import { isOfPush, tokenTypes, types } from '../resource-names.ts'
import type { Own } from './own-state.ts'

/** The fields of a secret at GitHub that hold its text. */
export type SecretField = 'value' | 'plaintextValue'

/** More than the clocks of two services differ by, in milliseconds. */
const clocksDifferMs = 5000

/**
 * Returns the field of the secret at GitHub that has the token: both names are one field, and another one than in the state makes
 * the provider send it again. That is needed if GitHub refused the token: the provider puts it into the state nevertheless, and the
 * next refresh takes it for what was declared (seen with 6.15.0), so `up` would send nothing, and delete the token that GitHub has.
 * GitHub shows no secret, so the times tell.
 * @param state the resources of the last run
 */
export function handedOverField(state: readonly Pick<Own, 'name' | 'type' | 'outputs'>[]): SecretField {
  const secret = state.find(({ type }) => type === types.environmentSecret)
  const sentMs = timeOf(fieldOf(secret?.outputs, 'updatedAt')) ?? Number.NaN
  const isEarlier = state
    .filter(({ name, type }) => tokenTypes.includes(type) && !isOfPush(name))
    .some(({ outputs }) => (timeOf(fieldOf(outputs, 'issuedOn')) ?? 0) > sentMs + clocksDifferMs)
  const last = fieldOf(secret?.outputs, 'plaintextValue') ? 'plaintextValue' : 'value'
  if (!isEarlier) return last
  return last === 'value' ? 'plaintextValue' : 'value'
}
