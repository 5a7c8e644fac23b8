import { createSocket } from 'node:dgram'
import { type AddressInfo, createServer } from 'node:net'
import { AUTHORITATIVE_ANSWER, decode, encode, TRUNCATED_RESPONSE } from 'dns-packet'
import { afterAll, describe, expect, it } from 'vitest'
import { dnsClient } from '../../action/dns-client.ts'
import type { DnsQuestion } from '../../action/dns-message.ts'

const question: DnsQuestion = { id: 4711, name: 'home.example.com', type: 'A', recursionDesired: false }
const address = '127.0.0.1'
const closing: (() => void)[] = []

// The tests run at the same time, so no server is closed before the last of them ends.
afterAll(() => {
  for (const close of closing) close()
})

/** What a server sends for a query: messages, one after the other. */
type Answer = (query: Buffer) => readonly Buffer[]

function response(query: Buffer, flags: number, data = '203.0.113.7'): Buffer {
  const { id = 0, questions = [] } = decode(query)
  const truncated = (flags & TRUNCATED_RESPONSE) !== 0
  const answers = truncated ? [] : [{ type: 'A' as const, name: question.name, ttl: 60, data }]
  return encode({ type: 'response', id, flags, questions, answers })
}

/** Starts a name server on one port of loopback; null for a transport that stays silent. */
async function serve(udp: Answer | null, tcp: Answer | null): Promise<number> {
  const stream = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', query => {
      for (const message of tcp?.(query.subarray(2)) ?? []) socket.write(message)
    })
  })
  await new Promise<void>(resolve => stream.listen(0, address, resolve))
  const { port } = stream.address() as AddressInfo
  const datagrams = createSocket('udp4')
  datagrams.on('message', (query, from) => {
    for (const message of udp?.(query) ?? []) datagrams.send(message, from.port, from.address)
  })
  await new Promise<void>(resolve => datagrams.bind(port, address, resolve))
  closing.push(
    () => stream.close(),
    () => datagrams.close(),
  )
  return port
}

const prefixed = (message: Buffer) =>
  Buffer.concat([Buffer.of(message.length >> 8, message.length & 0xff), message])
const served = { authoritative: true, truncated: false, rcode: 'NOERROR', answers: [{ data: '203.0.113.7' }] }

describe('asking a name server', () => {
  it('uses UDP, without recursion', async () => {
    const asked: Buffer[] = []
    const port = await serve(query => {
      asked.push(query)
      return [response(query, AUTHORITATIVE_ANSWER)]
    }, null)
    expect(await dnsClient.ask({ address, port }, question, 4000)).toMatchObject(served)
    expect(asked.map(query => decode(query))).toMatchObject([{ id: 4711, flag_rd: false }])
  })

  it('ignores datagrams that do not belong to the question', async () => {
    const port = await serve(query => {
      const wrongId = response(query, AUTHORITATIVE_ANSWER, '198.51.100.1')
      wrongId.writeUInt16BE(1, 0)
      return [Buffer.from('nonsense'), wrongId, response(query, AUTHORITATIVE_ANSWER)]
    }, null)
    expect(await dnsClient.ask({ address, port }, question, 4000)).toMatchObject(served)
  })

  it('uses TCP if the response is truncated, even if it arrives in pieces', async () => {
    const port = await serve(
      query => [response(query, TRUNCATED_RESPONSE)],
      query => [...prefixed(response(query, AUTHORITATIVE_ANSWER))].map(byte => Buffer.of(byte)),
    )
    expect(await dnsClient.ask({ address, port }, question, 4000)).toMatchObject(served)
  })

  it('uses TCP if nothing arrives over UDP', async () => {
    const port = await serve(null, query => [prefixed(response(query, AUTHORITATIVE_ANSWER))])
    expect(await dnsClient.ask({ address, port }, question, 1000)).toMatchObject(served)
  })

  it.each([
    ['silent over TCP', () => []],
    ['cut off', (query: Buffer) => [prefixed(response(query, 0)).subarray(0, 20)]],
  ])('fails in time if the server is %s', async (_, tcp: Answer) => {
    const port = await serve(query => [response(query, TRUNCATED_RESPONSE)], tcp)
    const started = performance.now()
    expect(await dnsClient.ask({ address, port }, question, 600)).toEqual({
      kind: 'failure',
      detail: 'no response',
    })
    expect(performance.now() - started).toBeLessThan(3000)
  })

  it('fails if the response over TCP is malformed', async () => {
    const port = await serve(null, () => [prefixed(Buffer.from('malformed'))])
    const expected = { kind: 'failure', detail: 'the response is malformed' }
    expect(await dnsClient.ask({ address, port }, question, 1000)).toEqual(expected)
  })

  it('fails if nothing listens', async () => {
    const stream = createServer()
    await new Promise<void>(resolve => stream.listen(0, address, resolve))
    const { port } = stream.address() as AddressInfo
    await new Promise(resolve => stream.close(resolve))
    const expected = { kind: 'failure', detail: 'ECONNREFUSED' }
    expect(await dnsClient.ask({ address, port }, question, 1000)).toEqual(expected)
  })
})

describe('an address', () => {
  it.each(['192.0.2.1', '2001:db8::1'])('%s is its own', async host => {
    expect(await dnsClient.addressesOf(host)).toEqual([host])
  })
})
