import { describe, expect, it } from 'vitest'
import { parseSuffix, withSuffix } from '../../../action/address/suffix.ts'
import { expectValue } from '../../support/expect-value.ts'

describe('an IPv6 suffix', () => {
  it.each([
    ['::1:2:3:4/64', '2001:db8:a:b:1:2:3:4'],
    ['0:0:0:0:0:0:0:7/64', '2001:db8:a:b::7'],
    ['::ff:0:0:0:1/56', '2001:db8:a:ff::1'],
    ['::1/127', '2001:db8:a:b:c:d:e:f'],
  ])('%s is appended to the prefix', (text, expected) => {
    expect(withSuffix('2001:db8:a:b:c:d:e:f', expectValue(parseSuffix(text)))).toBe(expected)
  })

  it.each([
    ['::1:2:3:4', /with its prefix length/],
    ['::1/0', /with its prefix length/],
    ['::1/128', /with its prefix length/],
    ['::1/64/64', /with its prefix length/],
    ['1.2.3.4/24', /with its prefix length/],
    ['::/64', /names no host/],
    ['::1:0:0:0:1/64', /has bits inside its prefix of 64 bits/],
  ])('%s is refused', (text, problem) => {
    expect(parseSuffix(text)).toEqual({ problem: expect.stringMatching(problem) })
  })
})
