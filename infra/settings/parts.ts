import type { Part } from './own-keys.ts'

export const signInPlaces = ['worker', 'host', 'none'] as const
export type SignInPlace = (typeof signInPlaces)[number]

export const pushPlaces = ['none', 'worker'] as const
export type PushPlace = (typeof pushPlaces)[number]

/** Which parts a stack has. */
export interface Parts {
  readonly record: boolean
  readonly signIn: SignInPlace
  readonly push: PushPlace
}

/** Whether a stack has one of some parts. */
export function hasOneOf(wanted: readonly Part[], { record, signIn, push }: Parts): boolean {
  return wanted.some(part => {
    if (part === 'record') return record
    if (part === 'push') return push === 'worker'
    return part === 'worker' ? signIn === 'worker' : signIn !== 'none'
  })
}
