import type { ClientAuth } from 'oauth4webapi'

/** Authenticates the application in a token request. Throws a CredentialError if it cannot. */
export type ClientCredential = ClientAuth

/** Says that the application's own credential cannot be used. The code is safe to log. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError'
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}
