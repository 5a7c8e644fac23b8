/**
 * How a behaviour is known: `documented` by the service or a standard, `observed` by others at the real service,
 * `tried` by this project with real clients on loopback, or `assumed` because no source says.
 */
export type Source = 'documented' | 'observed' | 'tried' | 'assumed'

/** One behaviour: what the emulator does, how that is known, and the reference. */
export interface Entry {
  readonly what: string
  readonly source: Source
  readonly where: string
}

/** Returns an entry with its document as the reference. */
export const documented = (what: string, where: string): Entry => ({ what, source: 'documented', where })

/** Returns an entry with a public thread and its date as the reference. */
export const observed = (what: string, where: string): Entry => ({ what, source: 'observed', where })

/** Returns an entry with the client it was tried with as the reference. */
export const tried = (what: string, where: string): Entry => ({ what, source: 'tried', where })

/** Returns an entry with the reason for the assumption as the reference. */
export const assumed = (what: string, where: string): Entry => ({ what, source: 'assumed', where })

/** An open question about the real service, and the ledger entry that the emulator follows meanwhile. */
export interface Unknown<Id extends string = string> {
  readonly question: string
  readonly meanwhile?: Id
}

/** The behaviours of one part of a service. */
export interface Area {
  readonly title: string
  readonly entries: Readonly<Record<string, Entry>>
  readonly unknown?: readonly Unknown[]
}

/** The behaviours common to all services. */
export const transportSecurity = {
  title: 'HTTPS',
  entries: {
    'tls.issued': documented(
      "The sandbox's certificate authority issues a certificate on demand for the host in the TLS handshake.",
      'RFC 6066 section 3; RFC 5280',
    ),
  },
} as const satisfies Area
