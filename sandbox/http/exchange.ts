import type { IncomingMessage } from 'node:http'
import { type Body, flatHeaders, splitTarget } from './server.ts'

/** The parts of a request that decide which service answers it. */
export interface RequestHead {
  /** Whether it came over TLS. */
  readonly secure: boolean
  readonly method: string
  /** As sent, without the query. */
  readonly path: string
  /** The raw query string. */
  readonly query: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The client's address. */
  readonly address: string
}

/** One request, as the service that answers it sees it. */
export interface Exchange extends RequestHead {
  /** Which instance of the service the request is for, from 0. */
  readonly instance: number
  readonly body: Body
  /** The id of the known token that the request carries, or null. */
  readonly tokenId: string | null
  /** Records the ledger entry that the answer relies on. */
  cite(id: string): void
  /** Replaces the body in the journal, for bodies that may hold code or secrets. */
  describe(body: string): void
}

/** Reads the head of a Node request. */
export function headOf(request: IncomingMessage): RequestHead {
  return {
    secure: 'encrypted' in request.socket,
    method: request.method ?? '',
    ...splitTarget(request.url ?? '/'),
    headers: flatHeaders(request),
    address: request.socket.remoteAddress ?? '',
  }
}
