import { describe, expect, it } from 'vitest'
import {
  type AddressInputs,
  addressFor,
  type DetectionContext,
  detectAddress,
} from '../../../action/address/detect.ts'
import { failure, type HttpOutcome } from '../../../lib/exchange.ts'
import { parseCidr } from '../../../lib/ip-address.ts'
import { parseSuffix } from '../../../lib/ipv6-suffix.ts'
import { expectValue } from '../../support/expect-value.ts'
import { recorded, response } from '../../support/response.ts'

const anyAddress = { expectedCidrs: [], allowReserved: true }
const reset = failure('reset', 'no response (ECONNRESET)')

const answer = (body: string) => response(body, { contentType: 'text/plain' })

/** Creates a round in virtual time. Only requests take time, and each URL has its outcomes in order. */
function context(outcomes: Readonly<Record<string, readonly HttpOutcome[]>>, requestMs = 0) {
  let nowMs = 0
  const { exchange, sent } = recorded(({ url }, sent) => {
    nowMs += requestMs
    const asked = sent.filter(request => request.url === url).length
    return outcomes[url]?.[asked - 1] ?? reset
  })
  const whole: DetectionContext = {
    exchange,
    clock: { now: () => nowMs, sleep: () => new Promise(() => {}), random: () => 0 },
    deadline: { callMs: 1000, remainingMs: () => 5000 - nowMs },
    interfaces: () => ({}),
  }
  return { whole, sent }
}

function asked(type: 'A' | 'AAAA', names: readonly string[], suffix?: string): AddressInputs {
  const echo = { kind: 'echo', form: 'text' } as const
  const sources = names.map(name => ({ ...echo, name, url: `https://${name}/` }))
  return {
    type,
    source: { kind: 'asked', sources },
    suffixes: new Map(suffix ? [['home.example.com', expectValue(parseSuffix(suffix))]] : []),
  }
}

describe('an echo whose connection is reset', () => {
  it('is asked once more, in the time that is left', async () => {
    const { whole, sent } = context({ 'https://a/': [reset, answer('203.0.113.7')] }, 300)
    expect(await detectAddress(asked('A', ['a']), anyAddress, whole)).toMatchObject({
      value: { address: '203.0.113.7' },
    })
    expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual([1000, 700])
  })

  it.each(['reset', 'cut', 'timeout', 'network'] as const)(
    'is not asked a third time, and no second time after %s',
    async cause => {
      const failed = failure(cause, 'no response')
      const outcomes = cause === 'reset' || cause === 'cut' ? [failed, failed] : [failed]
      const { whole, sent } = context({ 'https://a/': [...outcomes, answer('203.0.113.7')] })
      const detection = await detectAddress(asked('A', ['a']), anyAddress, whole)
      expect(detection).toMatchObject({ problem: { reason: 'address-unavailable' } })
      expect(sent).toHaveLength(outcomes.length)
    },
  )
})

it.each([
  ['AAAA', 'ENETUNREACH', true],
  ['AAAA', 'EADDRNOTAVAIL', true],
  ['AAAA', 'ECONNREFUSED', false],
  ['A', 'ENETUNREACH', false],
] as const)(
  'a machine without IPv6 hears what a container needs: %s, %s: %s',
  async (type, code, isNamed) => {
    const unreachable = failure('network', `no response (${code})`)
    const { whole } = context({ 'https://a/': [unreachable], 'https://b/': [unreachable] })
    const detection = await detectAddress(asked(type, ['a', 'b']), anyAddress, whole)
    expect(JSON.stringify(detection).includes('network_mode: host')).toBe(isNamed)
  },
)

describe('an IPv6 prefix', () => {
  const votes = (...addresses: readonly string[]) =>
    Object.fromEntries(addresses.map((address, index) => [`https://${'abc'[index]}/`, [answer(address)]]))

  it('is what the sources must agree on when the host part is given', async () => {
    const { whole } = context(votes('2001:db8:1:2:aaaa::1', '2001:db8:1:2:bbbb::1', '2001:db8:1:3::1'))
    const detection = await detectAddress(asked('AAAA', ['a', 'b', 'c'], '::7/64'), anyAddress, whole)
    expect(detection).toMatchObject({
      votes: [
        { value: '2001:db8:1:2::', note: 'the /64 of 2001:db8:1:2:aaaa::1' },
        { value: '2001:db8:1:2::' },
        { value: '2001:db8:1:3::' },
      ],
      value: { address: '2001:db8:1:2::', warnings: [expect.stringContaining('2001:db8:1:3::')] },
    })
    expect(addressFor('home.example.com', expectValue(detection), anyAddress)).toEqual({
      value: '2001:db8:1:2::7',
    })
  })

  it('may be shorter for one host than for another', () => {
    const { suffixes } = asked('AAAA', [], '::1:0:0:0:1/56')
    const detected = { address: '2001:db8:a:1234::', suffixes, warnings: [] }
    expect(addressFor('home.example.com', detected, anyAddress)).toEqual({ value: '2001:db8:a:1201::1' })
  })

  it('need not be in an expected range, but the composed address must be', async () => {
    const compose = async (cidr: string) => {
      const rules = { ...anyAddress, expectedCidrs: [expectValue(parseCidr(cidr))] }
      const { whole } = context(votes('2001:db8:1:2::99'))
      const detection = await detectAddress(asked('AAAA', ['a'], '::7/64'), rules, whole)
      return addressFor('home.example.com', expectValue(detection), rules)
    }
    expect(await compose('2001:db8:1:2::7/128')).toEqual({ value: '2001:db8:1:2::7' })
    expect(await compose('2001:db8:1:2::99/128')).toMatchObject({ problem: { reason: 'address-unexpected' } })
  })
})
