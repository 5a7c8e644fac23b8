import { encode, type RecordType } from 'dns-packet'
import type { Random } from '../../testing/random.ts'

const types: readonly RecordType[] = [
  'A',
  'AAAA',
  'MX',
  'TXT',
  'SRV',
  'CAA',
  'NS',
  'SOA',
  'CNAME',
  'AXFR',
  'ANY' as RecordType,
]
const names = [
  'home.example.com',
  'example.com',
  'a.b.c.d.example.com',
  'other.example',
  'x'.repeat(63),
  'example.net',
]

const query = (random: Random): Buffer =>
  encode({
    type: 'query',
    id: random.below(0xffff),
    flags: random.chance(70) ? 256 : random.below(0x10000),
    questions: [{ name: random.pick(names), type: random.pick(types) }],
    ...(random.chance(40) && {
      additionals: [
        {
          type: 'OPT' as const,
          name: '.',
          udpPayloadSize: random.below(0x10000),
          extendedRcode: 0,
          ednsVersion: random.below(3),
          flags: random.below(0x10000),
          flag_do: false,
          options: [],
        },
      ],
    }),
  })

/** Returns a malformed message: random bytes, or a query that is cut, extended, changed or loops in its name. */
export function malformedPacket(random: Random): Buffer {
  const valid = query(random)
  switch (random.below(6)) {
    case 0:
      return random.bytes(random.below(600))
    case 1:
      return valid.subarray(0, random.below(valid.length))
    case 2:
      // A name that points at itself.
      return Buffer.concat([valid.subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])])
    case 3:
      return Buffer.concat([valid, random.bytes(random.below(40))])
    case 4:
      return Buffer.concat([
        valid.subarray(0, 12),
        Buffer.from([random.below(256)]),
        random.bytes(random.below(300)),
      ])
    default: {
      const changed = Buffer.from(valid)
      for (let flips = random.below(4) + 1; flips > 0; flips -= 1)
        changed[random.below(changed.length)] = random.below(256)
      return changed
    }
  }
}
