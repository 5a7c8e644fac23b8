import { expect, it } from 'vitest'
import { createNetworkLimit } from '../../lib/network-limit.ts'

/** Counts failures up to 21 at a time that the test sets, and returns how long the network must wait. */
function startLimit() {
  let nowMs = 5_000_000
  const limit = createNetworkLimit(21, () => nowMs)
  async function count(network: string, times: number): Promise<number> {
    for (let sent = 0; sent < times; sent++) await limit.count(network)
    return limit.waitSeconds(network)
  }
  function pass(ms: number): void {
    nowMs += ms
  }
  return { count, pass }
}

it('a network waits from its 21st failure until the minute ends', async () => {
  const { count, pass } = startLimit()
  expect(await count('9.9.9.9', 20)).toBe(0)
  expect(await count('9.9.9.9', 1)).toBe(60)
  pass(17_500)
  expect(await count('9.9.9.9', 1)).toBe(43)
  expect(await count('9.9.9.8', 1)).toBe(0)
  pass(42_400)
  expect(await count('9.9.9.9', 1)).toBe(1)
  pass(100)
  expect(await count('9.9.9.9', 20)).toBe(0)
})

it('ten thousand networks are all that is remembered', async () => {
  const { count } = startLimit()
  expect(await count('9.9.9.9', 21)).toBe(60)
  for (let network = 1; network < 10_000; network++) await count(`10.1.${network >> 8}.${network & 255}`, 1)
  expect(await count('9.9.9.9', 1)).toBe(0)
})
