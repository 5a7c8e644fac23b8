import type { ClientAuth } from 'oauth4webapi'

/** Authenticates the application at Entra. */
export interface ClientCredential {
  /** Its setting, for people. */
  readonly name: string
  /** Adds it to a token request, after `check`. Throws a CredentialError if it cannot be used. */
  readonly authenticate: ClientAuth
  /** Takes over a replacement, and logs that the credential expires soon or has expired, once for each notice. */
  readonly check: () => Promise<void>
}

/** Says that the application's own credential cannot be used. The code is safe to log. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError'
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}
