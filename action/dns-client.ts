import type { Resolver } from 'node:dns/promises'
import { connect, isIP, isIPv6 } from 'node:net'
import { type DnsQuestion, type DnsResponse, decodeResponse, encodeQuery } from './dns-message.ts'
import { quote } from './text/quote.ts'

/** No usable response. The detail is safe to print. */
export interface DnsFailure {
  readonly kind: 'failure'
  readonly detail: string
}

/** Where a name server listens. */
export interface Address {
  readonly address: string
  readonly port: number
}

/** Queries to the DNS itself. None of them rejects. */
export interface DnsClient {
  /** Asks one server, over UDP and then over TCP if the response is truncated or does not arrive. */
  ask(server: Address, question: DnsQuestion, timeoutMs: number): Promise<DnsResponse | DnsFailure>
  /** Returns the addresses of a host, IPv4 first. An address is returned as it is. */
  addressesOf(host: string): Promise<readonly string[] | DnsFailure>
  /** Returns the names of a zone's name servers; none if the name is not the top of a zone. */
  nameServersOf(zone: string): Promise<readonly string[] | DnsFailure>
}

/** How long the system's resolver has for each of two tries. */
const resolverTimeoutMs = 2000
const lengthPrefixBytes = 2

/**
 * Creates a client that asks through sockets of this process, and looks names up with a resolver: by default the one that
 * the system uses.
 */
export function createDnsClient(openResolver: () => Resolver = systemResolver): DnsClient {
  return {
    async ask(server, question, timeoutMs) {
      const message = encodeQuery(question)
      const overUdp = await askUdp(server, question, message, timeoutMs / 2)
      if (!('kind' in overUdp) && !overUdp.truncated) return overUdp
      return askTcp(server, question, message, timeoutMs / 2)
    },

    async addressesOf(host) {
      if (isIP(host)) return [host]
      const resolver = openResolver()
      const found = await Promise.all([resolved(resolver.resolve4(host)), resolved(resolver.resolve6(host))])
      const addresses = found.flatMap(list => ('kind' in list ? [] : list))
      const failure = found.find(list => 'kind' in list)
      return addresses.length > 0 ? addresses : (failure ?? { kind: 'failure', detail: 'it has no address' })
    },

    nameServersOf: zone => resolved(openResolver().resolveNs(zone)),
  }
}

/** A resolver does not follow later changes of the system's configuration, so each lookup opens its own. */
function systemResolver(): Resolver {
  // Not imported, because a run without verify: dns needs neither this module nor node:dgram.
  const { Resolver } = process.getBuiltinModule('node:dns/promises')
  return new Resolver({ timeout: resolverTimeoutMs, tries: 2 })
}

/** Returns what was resolved; nothing if the name or the type does not exist. */
async function resolved(resolving: Promise<string[]>): Promise<readonly string[] | DnsFailure> {
  try {
    return await resolving
  } catch (error) {
    const code = codeOf(error)
    return code === 'ENOTFOUND' || code === 'ENODATA' ? [] : { kind: 'failure', detail: code }
  }
}

type Settle = (outcome: DnsResponse | DnsFailure) => void

/** Returns the first outcome that `start` settles with, or a failure after the timeout. Then calls what `start` returned. */
function settleInTime(timeoutMs: number, start: (settle: Settle) => () => void) {
  return new Promise<DnsResponse | DnsFailure>(resolve => {
    const timer = setTimeout(() => settle({ kind: 'failure', detail: 'no response' }), timeoutMs)
    let isSettled = false
    const close = start(settle)
    function settle(outcome: DnsResponse | DnsFailure): void {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      close()
      resolve(outcome)
    }
  })
}

function askUdp(
  { address, port }: Address,
  question: DnsQuestion,
  message: Uint8Array,
  timeoutMs: number,
): Promise<DnsResponse | DnsFailure> {
  const { createSocket } = process.getBuiltinModule('node:dgram')
  return settleInTime(timeoutMs, settle => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    socket.on('error', error => settle({ kind: 'failure', detail: codeOf(error) }))
    socket.on('message', datagram => {
      // Anybody can send a datagram, so whatever does not answer the question is ignored.
      const response = decodeResponse(datagram, question)
      if (response) settle(response)
    })
    // Not the callback of connect: it is also called after a failure, which then is no `error` event.
    socket.on('connect', () => socket.send(message))
    socket.connect(port, address)
    return () => socket.close()
  })
}

function askTcp(
  { address, port }: Address,
  question: DnsQuestion,
  message: Uint8Array,
  timeoutMs: number,
): Promise<DnsResponse | DnsFailure> {
  return settleInTime(timeoutMs, settle => {
    const socket = connect(port, address)
    let received = Buffer.alloc(0)
    socket.on('error', error => settle({ kind: 'failure', detail: codeOf(error) }))
    socket.on('end', () => settle({ kind: 'failure', detail: 'the response was cut off' }))
    socket.on('data', chunk => {
      received = Buffer.concat([received, chunk])
      const length = received.length < lengthPrefixBytes ? Number.NaN : received.readUInt16BE(0)
      if (!(received.length >= lengthPrefixBytes + length)) return
      const response = decodeResponse(
        received.subarray(lengthPrefixBytes, lengthPrefixBytes + length),
        question,
      )
      settle(response ?? { kind: 'failure', detail: 'the response is malformed' })
    })
    socket.write(Uint8Array.of(message.length >> 8, message.length & 0xff, ...message))
    return () => socket.destroy()
  })
}

function codeOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : quote(String(error))
}
