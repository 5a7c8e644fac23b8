import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, TRUNCATED_RESPONSE } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { type DnsQuestion, decodeResponse, encodeQuery } from '../../action/dns-message.ts'
import { fc } from '../../sandbox/testing/random.ts'

const query: DnsQuestion = { id: 7, name: 'home.example.com', type: 'A', recursionDesired: false }

/** A response as an independent codec writes it. */
function response(answers: readonly Answer[], flags = AUTHORITATIVE_ANSWER, asked = query): Buffer {
  const questions = [{ name: asked.name, type: asked.type, class: 'IN' as const }]
  return encode({ type: 'response', id: asked.id, flags, questions, answers: [...answers] })
}

const address: Answer = { type: 'A', name: 'home.example.com', ttl: 120, data: '203.0.113.7' }

/** The header of a response with one question, then these bytes. */
function raw(answerCount: number, ...bytes: readonly number[]): Uint8Array {
  const question = encodeQuery(query).subarray(12)
  return Uint8Array.from([0, 7, 0x84, 0, 0, 1, 0, answerCount, 0, 0, 0, 0, ...question, ...bytes])
}

describe('a query', () => {
  it.each(['A', 'AAAA', 'NS', 'CNAME'] as const)('for %s is decoded by an independent codec', type => {
    const message = encodeQuery({ id: 0xbeef, name: '*.xn--bro-hoa.example', type, recursionDesired: false })
    expect(decode(Buffer.from(message))).toMatchObject({
      id: 0xbeef,
      type: 'query',
      flag_rd: false,
      questions: [{ name: '*.xn--bro-hoa.example', type, class: 'IN' }],
    })
  })

  it('asks for recursion only on request', () => {
    expect(decode(Buffer.from(encodeQuery({ ...query, recursionDesired: true }))).flag_rd).toBe(true)
  })

  it.each(['', 'a..b', `${'a'.repeat(64)}.example`, `${'abcdefg.'.repeat(32)}com`])(
    'is refused for the name "%s"',
    name => expect(() => encodeQuery({ ...query, name })).toThrow(RangeError),
  )
})

describe('a response', () => {
  it('gives the address, its ttl and whether the server has authority', () => {
    const answers = [{ name: 'home.example.com', type: 'A', ttl: 120, data: '203.0.113.7' }]
    const expected = { authoritative: true, truncated: false, rcode: 'NOERROR', answers }
    expect(decodeResponse(response([address]), query)).toEqual(expected)
    expect(decodeResponse(response([address], 0), query)).toEqual({ ...expected, authoritative: false })
  })

  it('gives IPv6 addresses in their canonical form', () => {
    const asked: DnsQuestion = { ...query, type: 'AAAA' }
    const data = '2001:0DB8:0:0:1:0:0:1'
    const message = response([{ type: 'AAAA', name: asked.name, ttl: 1, data }], 0, asked)
    expect(decodeResponse(message, asked)?.answers[0]?.data).toBe('2001:db8::1:0:0:1')
  })

  it('gives the names of aliases and name servers in lower case, compressed or not', () => {
    const alias: Answer = { type: 'CNAME', name: 'home.example.com', ttl: 60, data: 'Router.Example.NET' }
    expect(decodeResponse(response([alias]), query)?.answers[0]).toMatchObject({
      type: 'CNAME',
      data: 'router.example.net',
    })
    // ns1 and a pointer to "example.com" in the question, five bytes into its name.
    const server = [0xc0, 12, 0, 2, 0, 1, 0, 0, 0, 60, 0, 6, 3, 0x6e, 0x73, 0x31, 0xc0, 12 + 5]
    expect(decodeResponse(raw(1, ...server), query)?.answers[0]).toEqual({
      name: 'home.example.com',
      type: 'NS',
      ttl: 60,
      data: 'ns1.example.com',
    })
  })

  it('skips types that it does not read', () => {
    const text: Answer = { type: 'TXT', name: 'home.example.com', ttl: 60, data: 'v=spf1 -all' }
    expect(decodeResponse(response([text, address]), query)?.answers).toMatchObject([
      { type: null, data: '' },
      { type: 'A', data: '203.0.113.7' },
    ])
  })

  it.each([
    [2, 'SERVFAIL'],
    [3, 'NXDOMAIN'],
    [5, 'REFUSED'],
    [9, 'RCODE9'],
  ])('with code %i is %s', (code, rcode) => {
    expect(decodeResponse(response([], code), query)).toMatchObject({ rcode, answers: [] })
  })

  it('that is truncated may end anywhere', () => {
    const whole = response([address], TRUNCATED_RESPONSE)
    expect(decodeResponse(whole, query)).toMatchObject({ truncated: true, answers: [{ type: 'A' }] })
    expect(decodeResponse(whole.subarray(0, -2), query)).toMatchObject({ truncated: true, answers: [] })
  })

  it('gives an answer of another class than IN no type', () => {
    const answer = [0xc0, 12, 0, 1, 0, 3, 0, 0, 0, 1, 0, 4, 203, 0, 113, 7]
    expect(decodeResponse(raw(1, ...answer), query)?.answers).toMatchObject([{ type: null, data: '' }])
  })

  it('reads a TTL with its highest bit set as 0 (RFC 2181 section 8)', () => {
    const answer = [0xc0, 12, 0, 1, 0, 1, 0x80, 0, 0, 1, 0, 4, 203, 0, 113, 7]
    expect(decodeResponse(raw(1, ...answer), query)?.answers[0]?.ttl).toBe(0)
  })
})

describe('decoding', () => {
  it.each([
    ['another id', response([address], 0, { ...query, id: 8 })],
    ['another name', response([address], 0, { ...query, name: 'other.example.com' })],
    ['another type', response([address], 0, { ...query, type: 'AAAA' })],
    ['a query', Buffer.from(encodeQuery(query))],
    ['a message without a question', encode({ type: 'response', id: 7, answers: [address] })],
    ['nothing', Buffer.alloc(0)],
  ])('refuses %s', (_, message) => expect(decodeResponse(message, query)).toBeNull())

  it('accepts an error that omits the question', () => {
    const message = encode({ type: 'response', id: 7, flags: 1, answers: [] })
    expect(decodeResponse(message, query)).toMatchObject({ rcode: 'FORMERR', answers: [] })
  })

  it.each([
    ['to itself', [0xc0, 34]],
    ['forward', [0xc0, 40]],
    ['in a circle', [1, 0x61, 0xc0, 34]],
    ['beyond the message', [0xff, 0xff]],
  ])('refuses a pointer that leads %s', (_, name) => {
    expect(decodeResponse(raw(1, ...name, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 1, 2, 3, 4), query)).toBeNull()
  })

  it.each([
    ['an address of three bytes', [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 3, 1, 2, 3]],
    ['data longer than the message', [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 9, 1, 2, 3, 4]],
    ['an alias longer than its name', [0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 1, 0, 3, 0xc0, 12, 0]],
    ['a label of 64 bytes', [64, ...Array(64).fill(0x61), 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 1, 2, 3, 4]],
  ])('refuses %s', (_, bytes) => expect(decodeResponse(raw(1, ...bytes), query)).toBeNull())

  it('never throws, whatever the bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 80 })
    fc.assert(fc.property(bytes, fc.nat(9), (tail, count) => void decodeResponse(raw(count, ...tail), query)))
    fc.assert(
      fc.property(fc.nat(), fc.nat(255), (place, value) => {
        const message = response([address])
        message[place % message.length] = value
        decodeResponse(message, query)
      }),
    )
  })
})
