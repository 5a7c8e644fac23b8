import type { Fault, FaultAnswer } from '../http/faults.ts'

/** A fault for token requests. */
export const atToken = (answer: FaultAnswer, terms: Pick<Fault, 'times' | 'commit'> = {}): Fault => ({
  match: { service: 'entra', method: 'POST', path: '/token$' },
  answer,
  ...terms,
})

/** Lets codes be redeemed with any verifier or none. */
export const ignoreVerifier: Fault = {
  match: { service: 'entra', method: 'POST', path: '/token$' },
  times: null,
  effect: { kind: 'ignore-verifier' },
}

/** The error page of a gateway. */
export const gatewayPage: FaultAnswer = {
  kind: 'respond',
  status: 503,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<h1>503</h1>',
}

export const late = (byMs: number): FaultAnswer => ({ kind: 'delay', byMs })
