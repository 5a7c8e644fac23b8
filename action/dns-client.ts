import type { Resolver } from 'node:dns/promises'
import { connect, isIP, isIPv6 } from 'node:net'
import { type DnsQuestion, type DnsResponse, decodeResponse, encodeQuery } from './dns-message.ts'
import type { Reading } from './problem.ts'
import { quote } from './text/quote.ts'

/** Where a name server listens. */
export interface Address {
  readonly address: string
  readonly port: number
}

/** Queries to the DNS itself. None of them rejects. A problem says why there is no usable response. */
export interface DnsClient {
  /** Asks one server, over UDP and then over TCP if the response is truncated or does not arrive. */
  ask(server: Address, question: DnsQuestion, timeoutMs: number): Promise<Reading<DnsResponse, string>>
  /** Returns the addresses of a host, IPv4 first. An address is returned as it is. */
  addressesOf(host: string): Promise<Reading<readonly string[], string>>
  /** Returns the names of a zone's name servers; none if the name is not the top of a zone. */
  nameServersOf(zone: string): Promise<Reading<readonly string[], string>>
}

/** How long the system's resolver has for each of two tries. */
const resolverTimeoutMs = 3000
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
      if ('value' in overUdp && !overUdp.value.truncated) return overUdp
      return askTcp(server, question, message, timeoutMs / 2)
    },

    async addressesOf(host) {
      if (isIP(host)) return { value: [host] }
      const resolver = openResolver()
      const found = await Promise.all([resolved(resolver.resolve4(host)), resolved(resolver.resolve6(host))])
      const addresses = found.flatMap(list => ('value' in list ? list.value : []))
      if (addresses.length > 0) return { value: addresses }
      return found.find(list => 'problem' in list) ?? { problem: 'it has no address' }
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
async function resolved(resolving: Promise<string[]>): Promise<Reading<readonly string[], string>> {
  try {
    return { value: await resolving }
  } catch (error) {
    const code = codeOf(error)
    return code === 'ENOTFOUND' || code === 'ENODATA' ? { value: [] } : { problem: code }
  }
}

type Settle = (outcome: Reading<DnsResponse, string>) => void

/** Returns the first outcome that `start` settles with, or a problem after the timeout. Then calls what `start` returned. */
function settleInTime(timeoutMs: number, start: (settle: Settle) => () => void) {
  return new Promise<Reading<DnsResponse, string>>(resolve => {
    const timer = setTimeout(() => settle({ problem: 'no response' }), timeoutMs)
    let isSettled = false
    const close = start(settle)
    function settle(outcome: Reading<DnsResponse, string>): void {
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
): Promise<Reading<DnsResponse, string>> {
  const { createSocket } = process.getBuiltinModule('node:dgram')
  return settleInTime(timeoutMs, settle => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    socket.on('error', error => settle({ problem: codeOf(error) }))
    socket.on('message', datagram => {
      // Anybody can send a datagram, so whatever does not answer the question is ignored.
      const response = decodeResponse(datagram, question)
      if (response) settle({ value: response })
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
): Promise<Reading<DnsResponse, string>> {
  return settleInTime(timeoutMs, settle => {
    const socket = connect(port, address)
    let received = Buffer.alloc(0)
    socket.on('error', error => settle({ problem: codeOf(error) }))
    socket.on('end', () => settle({ problem: 'the response was cut off' }))
    socket.on('data', chunk => {
      received = Buffer.concat([received, chunk])
      const length = received.length < lengthPrefixBytes ? Number.NaN : received.readUInt16BE(0)
      if (!(received.length >= lengthPrefixBytes + length)) return
      const response = decodeResponse(
        received.subarray(lengthPrefixBytes, lengthPrefixBytes + length),
        question,
      )
      settle(response ? { value: response } : { problem: 'the response is malformed' })
    })
    socket.write(Uint8Array.of(message.length >> 8, message.length & 0xff, ...message))
    return () => socket.destroy()
  })
}

function codeOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : quote(String(error))
}
