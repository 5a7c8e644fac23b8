import type { HttpFailure, HttpRequest, HttpResponse } from '../exchange.ts'

/** A service that answers a plain GET with the caller's address. */
export interface EchoSource {
  readonly kind: 'echo'
  /** Host and port, under which its vote is reported. */
  readonly name: string
  readonly url: string
  /** `text` is the bare address; `trace` is a list of `key=value` lines, as Cloudflare serves it. */
  readonly form: 'text' | 'trace'
}

/** Another hostname, whose address is used. */
export interface DnsSource {
  readonly kind: 'dns'
  /** As it is reported: `dns:router.example.net`. */
  readonly name: string
  /** Canonical. */
  readonly hostname: string
  /** URLs of DNS resolvers over HTTPS. All of them must give the same address. */
  readonly resolvers: readonly string[]
  /** Names of the records that this run writes, canonical. */
  readonly managed: readonly string[]
}

/** A network interface of this host. */
export interface InterfaceSource {
  readonly kind: 'interface'
  /** As it is reported: `interface:eth0`. */
  readonly name: string
  readonly device: string
}

/** One source of the address, which has one vote. */
export type VotingSource = EchoSource | DnsSource | InterfaceSource

/** Sends one request within the time that its source has left. */
export type Send = (request: Omit<HttpRequest, 'timeoutMs' | 'signal'>) => Promise<HttpResponse | HttpFailure>
