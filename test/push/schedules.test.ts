import { expect, it } from 'vitest'
import { withImmediateHashes } from '../simulation/router.ts'
import { commitSeed, runs } from '../support/random.ts'
import { Sequence } from '../support/sequence.ts'
import { runSchedule, runSchedules, type Schedule } from './schedules.ts'

// With a load on the machine, a schedule takes up to 50 ms.
it('says only what the record held, and leaves the last address in it, in random schedules', {
  timeout: 300_000,
}, async () => {
  const count = Math.min(runs(200), 10_000)
  const { first, words } = await withImmediateHashes(() => runSchedules(commitSeed, count))
  expect(first).toBeNull()
  expect(words['good']).toBeGreaterThan(count)
  expect(words['nochg']).toBeGreaterThan(count / 2)
})

it('gives a ping that waited for a slow one all its time for work, and answers in time', async () => {
  const ping = { instance: 0, isRight: true }
  const pings = [
    { ...ping, atMs: 0, myip: ['8.8.8.8'] },
    { ...ping, atMs: 500, myip: ['9.9.9.9'] },
  ]
  const schedule: Schedule = { kind: 'one', pings, edits: [] }
  // A list takes six seconds, and so does what follows it.
  const { wrong, answers } = await withImmediateHashes(() =>
    runSchedule(schedule, new Sequence(1), () => [3000, 3000]),
  )
  expect(wrong).toBeNull()
  expect(answers.map(({ body, answeredMs }) => [body, answeredMs])).toEqual([
    ['911\n', 6000],
    ['911\n', 8500],
  ])
})

it('writes both records if each request takes three seconds', async () => {
  const ping = { instance: 0, isRight: true, atMs: 0, myip: ['8.8.8.8', '2a00:1450:4001:82b::2'] }
  const schedule: Schedule = { kind: 'one', pings: [ping], edits: [] }
  const { wrong, answers } = await withImmediateHashes(() =>
    runSchedule(schedule, new Sequence(1), () => [1500, 1500]),
  )
  expect(wrong).toBeNull()
  expect(answers.map(({ body }) => body)).toEqual(['911\n'])
})

it.each([
  // The writes are sent at 6 s of 16, and need 3 s.
  [
    10_300,
    ['8.8.8.8', '2a00:1450:4001:82b::2'],
    [
      [3000, 3000],
      [0, 3000],
      [1500, 1500],
      [1500, 1500],
    ],
    'good',
  ],
  // After a list without an answer and a slow one, less than 5 s are left.
  [
    15_700,
    ['2a00:1450:4001:82b::2'],
    [
      [7000, 0],
      [2500, 2500],
    ],
    'nochg',
  ],
] as const)(
  'leaves no write that arrives after a later ping has read the record (%i)',
  async (atMs, myip, slow, word) => {
    const ping = { instance: 0, isRight: true }
    const pings = [
      { ...ping, atMs: 0, myip },
      { ...ping, atMs, myip: ['2a00:1450:4001:82b::1'] },
    ]
    const delays = slow.values()
    const schedule: Schedule = { kind: 'one', pings, edits: [] }
    const { wrong, answers } = await withImmediateHashes(() =>
      runSchedule(schedule, new Sequence(1), () => delays.next().value ?? [0, 0]),
    )
    expect(wrong).toBeNull()
    expect(answers.map(({ body }) => body)).toEqual(['911\n', `${word} 2a00:1450:4001:82b::1\n`])
  },
)
