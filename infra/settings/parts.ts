import type { Part } from './own-keys.ts'

export const signInPlaces = ['worker', 'host', 'none'] as const
export type SignInPlace = (typeof signInPlaces)[number]

/** Which parts a stack has. */
export interface Parts {
  readonly record: boolean
  readonly signIn: SignInPlace
}

/** Whether a stack has one of some parts. */
export function hasOneOf(wanted: readonly Part[], { record, signIn }: Parts): boolean {
  return wanted.some(part => {
    if (part === 'record') return record
    return part === 'worker' ? signIn === 'worker' : signIn !== 'none'
  })
}
