import { fieldOf, timeOf } from '../json.ts'
import { isOfPush, tokenTypes, types } from '../resource-names.ts'
import type { Own } from './own-state.ts'

/** The fields of a secret at GitHub that hold its text. */
export type SecretField = 'value' | 'plaintextValue'

/** More than the clocks of two services differ by, in milliseconds. */
export const clocksDifferMs = 5000

/**
 * Returns the field of the secret at GitHub to declare. Both names are one field, and another name than the state's makes the provider
 * send the token again. That is needed if GitHub refused it: the provider puts it into the state all the same, so the next `up` would
 * send nothing, and delete the token that GitHub has (seen with 6.15.0). GitHub shows no secret, so the times are compared.
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
