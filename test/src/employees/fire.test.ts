import { expect, it } from 'vitest'
import { shareMs } from '../../support/random.ts'
import { timeLimit } from '../../support/time-limit.ts'
import { createPostgresDatabase } from '../support/databases.ts'
import { idTypes, minAnswers, underFire } from './fire.ts'

const long = shareMs(0.1)
const types = Object.keys(idTypes) as (keyof typeof idTypes)[]
const durationMs = long ?? 500

it.each(long === undefined ? (['char(8)'] as const) : types)(
  'no session is ever read as somebody else’s while everything fails: ids of type %s',
  async type => {
    const { href } = await createPostgresDatabase()
    expect(await underFire(href, href, type, durationMs)).toBeGreaterThan(minAnswers)
  },
  durationMs + timeLimit(120_000),
)
