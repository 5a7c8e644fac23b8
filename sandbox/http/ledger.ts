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

/** Tags of a behaviour's text. It ends with its reference in brackets: `` documented`An alias is followed. [RFC 1034]` ``. */
const knownAs =
  (source: Source) =>
  (parts: TemplateStringsArray, ...references: readonly string[]): Entry => {
    const text = String.raw({ raw: parts }, ...references)
    const [, what, where] = /^(.+) \[([^[\]]+)\]$/s.exec(text) ?? []
    if (what === undefined || where === undefined) throw new Error(`A behaviour has no reference: ${text}`)
    return { what, source, where }
  }

/** The reference is a document. */
export const documented = knownAs('documented')
/** The reference is a public thread and its date. */
export const observed = knownAs('observed')
/** The reference is the client it was tried with. */
export const tried = knownAs('tried')
/** The reference is the reason for the assumption. */
export const assumed = knownAs('assumed')

/** An open question about the real service, and the ledger entry that the emulator follows meanwhile. */
export interface OpenQuestion<Id extends string = string> {
  readonly question: string
  readonly meanwhile?: Id
}

/** The behaviours of one part of a service. */
export interface Area {
  readonly title: string
  readonly entries: Readonly<Record<string, Entry>>
  readonly unknown?: readonly OpenQuestion[]
}

/** The behaviours common to all services. */
export const transportSecurity = {
  title: 'HTTPS',
  entries: {
    'tls.issued': documented`The sandbox's certificate authority issues a certificate on demand for the host in the TLS handshake. [RFC 6066 section 3; RFC 5280]`,
  },
} as const satisfies Area
