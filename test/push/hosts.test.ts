import { describe, expect, it } from 'vitest'
import { hostLine, readHosts } from '../../push/hosts.ts'

const one = 'a'.repeat(64)
const other = '0123456789abcdef'.repeat(4)

/** Returns the problem of a text, which must have one. */
function problemOf(text: string): string {
  const reading = readHosts(text)
  if ('value' in reading) throw new Error(`${JSON.stringify(text)} was read.`)
  return reading.problem
}

const wrongPart = 'line 1 has a wrong host part for a.example.com: it'
const noPart = `${wrongPart} is not the host part of an IPv6 address`
const overlap = `${wrongPart} has bits inside its prefix of 64 bits; leave them zero.`

describe('the hosts of the endpoint', () => {
  it('have a name, types and one or two hashes, one host a line', () => {
    const text = `\n home.example.com A sha256:${one}\r\n\nBÜRO.example.com.\taaaa,a  sha256:${other.toUpperCase()},sha256:${one}\n`
    expect(readHosts(text)).toEqual({
      value: [
        { name: 'home.example.com', types: ['A'], hashes: [one] },
        { name: 'xn--bro-hoa.example.com', types: ['A', 'AAAA'], hashes: [other, one] },
      ],
    })
  })

  it('can have a host part for AAAA, each its own', () => {
    const text = `nas.example.com AAAA=::211:32FF:fe12:3456/64 sha256:${one}\ncam.example.com aaaa=::5:0:0:0:7/56,a sha256:${one}`
    expect(readHosts(text)).toMatchObject({
      value: [
        { types: ['AAAA'], suffix: { host: '::211:32ff:fe12:3456', prefixLength: 64 } },
        { types: ['A', 'AAAA'], suffix: { host: '::5:0:0:0:7', prefixLength: 56 } },
      ],
    })
  })

  it.each([{}, { suffix: { host: '::1:2:3:4', prefixLength: 64 } }])(
    'are read again from the line that is written for them, with %j',
    suffix => {
      const host = {
        name: 'home.example.com',
        types: ['A', 'AAAA'],
        ...suffix,
        hashes: [one, other],
      } as const
      expect(readHosts(hostLine(host))).toEqual({ value: [host] })
    },
  )

  it.each([
    ['no line', '\n', 'has no line.'],
    ['a name alone', 'home.example.com', 'line 1 is not a name, types and hashes'],
    ['a fourth word', `home.example.com A sha256:${one} ${one}`, 'line 1 is not a name, types and hashes'],
    [
      'a wildcard',
      `*.example.com A sha256:${one}`,
      'line 1 has the wildcard "*.example.com". Name each host.',
    ],
    ['a single label', `localhost A sha256:${one}`, 'line 1 has a name without a dot. Use a full name'],
    ['a URL', `https://a.example.com A sha256:${one}`, 'line 1 has "https://a.example.com". Use a full name'],
    ['another type', `a.example.com A,TXT sha256:${one}`, 'line 1 has other types. Use A, AAAA or A,AAAA.'],
    ['a host part that overlaps the prefix', `a.example.com AAAA=2a00::1/64 sha256:${one}`, overlap],
    [
      'a host part of IPv4',
      `a.example.com AAAA=192.0.2.7/24 sha256:${one}`,
      `${wrongPart} is of IPv4, where`,
    ],
    [
      'a host part behind no prefix',
      `a.example.com AAAA=::7/0 sha256:${one}`,
      `${wrongPart} follows 0 bits, and`,
    ],
    [
      'a host part behind a part of another host',
      `a.example.com AAAA=::7/65 sha256:${one}`,
      `${wrongPart} follows 65 bits, and the prefix of a network has 1 to 64.`,
    ],
    ['a host part without a length', `a.example.com AAAA=::7 sha256:${one}`, noPart],
    ['a host part of zero', `a.example.com AAAA=::/64 sha256:${one}`, 'it names no host after the prefix.'],
    [
      'a second host part',
      `a.example.com AAAA=::7/64,AAAA=::8/64 sha256:${one}`,
      'line 1 has 2 host parts for a.example.com. Keep one.',
    ],
    [
      'a host part for an A record',
      `a.example.com A=::7/64,AAAA sha256:${one}`,
      'line 1 has a host part for the A record of a.example.com. Only AAAA can have one.',
    ],
    ['a hash without its name', `a.example.com A ${one}`, 'has no valid hash for a.example.com.'],
    ['a short hash', `a.example.com A sha256:${one.slice(1)}`, 'has no valid hash for a.example.com.'],
    [
      'a third hash',
      `a.example.com A ${Array(3).fill(`sha256:${one}`).join()}`,
      'line 1 has 3 hashes for a.example.com. Keep at most 2.',
    ],
    [
      'a name twice, in another case',
      `a.example.com A sha256:${one}\nb.example.com A sha256:${one}\nA.example.com AAAA sha256:${one}`,
      'line 3 names a.example.com again. Keep one line for each name.',
    ],
  ])('refuse %s', (_, text, problem) => {
    expect(problemOf(text)).toContain(problem)
  })

  it('have every wrong line named at once', () => {
    expect(problemOf(`a.example.com\nb.example.com B sha256:${one}`)).toBe(
      'line 1 is not a name, types and hashes, such as home.example.com A,AAAA sha256:…. ' +
        'Also, line 2 has other types. Use A, AAAA or A,AAAA.',
    )
  })

  it('repeat no password that was put in the place of a hash or a name', () => {
    const password = 'k3wq7zj2m5x8r4t6v9b1c0d2fg'
    const own = 'correct-horse-battery'
    const texts = [
      `home.example.com ${own} sha256:${one}`,
      `home.example.com A ${password}`,
      `${password} A sha256:${one}`,
      `home.example.com ${password}`,
      `home.example.com ${password} sha256:${one}`,
      ...['', 'A', 'AAAA'].map(type => `home.example.com ${type}=${password} sha256:${one}`),
      `home.example.com:${password} A sha256:${one}`,
      `*.${password} A sha256:${one}`,
      `home.example.com sha256:${one} A`,
    ]
    for (const text of texts) {
      expect(problemOf(text)).not.toContain(password)
      expect(problemOf(text)).not.toContain(own)
      expect(problemOf(text)).not.toContain(one)
    }
  })
})
