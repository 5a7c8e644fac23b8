import { encode, type RecordType } from 'dns-packet'
import type { Random } from '../../../sandbox/testing/random.ts'
import { withChangedBytes } from './text.ts'

const types = 'A AAAA MX TXT SRV CAA NS SOA CNAME AXFR ANY'.split(' ') as readonly RecordType[]
const names = 'home.example.com example.com a.b.c.d.example.com other.example example.net'.split(' ')

const option = (random: Random) => ({
  type: 'OPT' as const,
  name: '.',
  udpPayloadSize: random.below(0x10000),
  extendedRcode: 0,
  ednsVersion: random.below(3),
  flags: random.below(0x10000),
  flag_do: false,
  options: [],
})

const query = (random: Random): Buffer =>
  encode({
    type: 'query',
    id: random.below(0xffff),
    flags: random.chance(70) ? 256 : random.below(0x10000),
    questions: [{ name: random.pick([...names, 'x'.repeat(63)]), type: random.pick(types) }],
    ...(random.chance(40) && { additionals: [option(random)] }),
  })

/** Returns a malformed message: random bytes, or a query that is cut, extended, changed or loops in its name. */
export function malformedPacket(random: Random): Buffer {
  const valid = query(random)
  const header = valid.subarray(0, 12)
  const forms = [
    () => random.bytes(random.below(600)),
    () => valid.subarray(0, random.below(valid.length)),
    // A name that points at itself.
    () => Buffer.concat([header, Buffer.from([0xc0, 12, 0, 1, 0, 1])]),
    () => Buffer.concat([valid, random.bytes(random.below(40))]),
    () => Buffer.concat([header, Buffer.from([random.below(256)]), random.bytes(random.below(300))]),
    () => withChangedBytes(random, valid, 4),
  ]
  return random.pick(forms)()
}
