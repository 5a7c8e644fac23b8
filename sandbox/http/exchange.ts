import type { IncomingMessage } from 'node:http'
import { flatHeaders, splitTarget } from './server.ts'

/** The parts of a request that decide which service answers it. */
export interface RequestHead {
  /** Whether the request came over TLS. */
  readonly secure: boolean
  readonly method: string
  /** The path as sent, without the query. */
  readonly path: string
  /** The raw query string. */
  readonly query: string
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The address of the client. */
  readonly address: string
}

/** A request to a service. */
export interface Exchange extends RequestHead {
  /** The instance of the service that the request is for, from 0. */
  readonly instance: number
  /** Empty if there is none. */
  readonly body: Buffer
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
