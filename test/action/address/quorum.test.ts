import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { collectVotes } from '../../../action/address/detect.ts'
import { countVotes, isDecided, type Vote } from '../../../action/address/quorum.ts'
import { fc } from '../../support/random.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

const vote = (address: string): Vote => ({ source: 'echo', value: address })
const none: Vote = { source: 'echo', problem: 'no answer' }
/** Returns the reason why the votes have no address, or null. */
function reasonOf(votes: readonly Vote[]) {
  const counted = countVotes(votes)
  return 'problem' in counted ? counted.problem.reason : null
}

describe('the quorum', () => {
  it('is not reached by too few answers, even if they agree', () => {
    const one: Vote = { source: 'eth0', problem: 'is deprecated', candidates: ['8.8.8.8'] }
    for (const votes of [
      [vote('8.8.8.8'), none, none],
      [one, none, none],
      [vote('8.8.8.8'), vote('8.8.8.8'), none, none],
    ])
      expect(reasonOf(votes)).toBe('address-unavailable')
  })

  it('never picks an address with too few votes, in any order', () => {
    const ballots = fc.array(fc.option(fc.constantFrom('8.8.8.8', '9.9.9.9', '1.1.1.1')), { maxLength: 7 })
    fc.assert(
      fc.property(ballots, ballot => {
        const votes = ballot.map(address => (address === null ? none : vote(address)))
        const counted = countVotes(votes)
        expect(reasonOf(votes.toReversed())).toBe(reasonOf(votes))
        if ('problem' in counted) return
        expect(ballot.filter(address => address === counted.value).length * 2).toBeGreaterThan(ballot.length)
        expect(countVotes(votes.toReversed())).toEqual(counted)
      }),
    )
  })
})

it('a source with several addresses disagrees with itself, unless the others agree without it', () => {
  const several: Vote = { source: 'eth0', problem: 'has 2', candidates: ['8.8.8.8', '9.9.9.9'] }
  expect(reasonOf([several, none])).toBe('address-disagreement')
  const others = [vote('8.8.8.8'), vote('8.8.8.8')]
  expect(countVotes([several, ...others])).toEqual({ value: '8.8.8.8' })
})

it('the explanation of votes has a reason and what to do', () => {
  const votes: readonly Vote[] = [
    { source: 'a.example', value: '8.8.8.8' },
    { source: 'dns:b.example', value: '9.9.9.9', note: 'cached for up to 60 s' },
    { source: 'c.example', problem: 'returned 500 instead of 200' },
  ]
  const named =
    'a.example: 8.8.8.8; dns:b.example: 9.9.9.9 (cached for up to 60 s); c.example: no vote: returned 500 instead of 200'
  expect(countVotes(votes)).toEqual({
    problem: {
      reason: 'address-disagreement',
      message: expect.stringContaining(`disagree (${named}). The quorum is 2.`),
    },
  })
  expect(countVotes([none])).toEqual({
    problem: {
      reason: 'address-unavailable',
      message: expect.stringMatching(/^Only 0 of 1 .* the quorum is 1 \(echo: no vote: no answer\)/),
    },
  })
  const untrusted: Vote = { ...none, fix: 'Trust the certificate' }
  expect(countVotes([none, untrusted])).toMatchObject({
    problem: { reason: 'tls-untrusted', message: expect.stringContaining('Trust the certificate.') },
  })
})

it('the outcome is certain exactly when no further vote can make or break an agreement', () => {
  const addresses = ['8.8.8.8', '9.9.9.9', '1.1.1.1', null] as const
  const ballots = fc.array(fc.constantFrom(...addresses), { maxLength: 4 })
  fc.assert(
    fc.property(ballots, fc.nat(3), (ballot, missing) => {
      const cast = (said: readonly (string | null)[]) =>
        said.map(address => (address === null ? none : vote(address)))
      // The last one represents every address that no source has named.
      const choices = [...addresses, '4.4.4.4']
      let endings: (string | null)[][] = [[]]
      for (let left = missing; left > 0; left--) {
        endings = endings.flatMap(ending => choices.map(choice => [...ending, choice]))
      }
      const outcomes = endings.map(ending => {
        const counted = countVotes(cast([...ballot, ...ending]))
        return 'value' in counted ? counted.value : null
      })
      expect(isDecided(cast(ballot), missing)).toBe(new Set(outcomes).size === 1)
    }),
  )
})

it('collecting votes ends a moment after the quorum is reached, in the order of the sources', async () => {
  const { clock, sleptMs } = virtualClock()
  const ask = async (source: string, signal: AbortSignal): Promise<Vote> => {
    if (source !== 'b') return { source, value: '8.8.8.8' }
    await once(signal, 'abort')
    return { source, problem: 'not needed any more' }
  }
  const votes = await collectVotes(['a', 'b', 'c'], ask, clock)
  expect(sleptMs).toEqual([500])
  expect(votes.map(vote => vote.source)).toEqual(['a', 'b', 'c'])
  expect(votes[1]).toMatchObject({ problem: 'not needed any more' })
})
