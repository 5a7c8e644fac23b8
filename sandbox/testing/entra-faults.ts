import type { Fault, FaultAnswer } from '../http/faults.ts'

/** A fault for token requests. */
export const atToken = (answer: FaultAnswer, terms: Pick<Fault, 'times' | 'commit'> = {}): Fault => ({
  match: { service: 'entra', method: 'POST', path: '/token$' },
  answer,
  ...terms,
})

export const late = (byMs: number): FaultAnswer => ({ kind: 'delay', byMs })
