import { formatInstant } from '../../http/clock.ts'
import { type Outcome, success } from '../envelope.ts'
import { refuse } from '../errors.ts'
import type { Call } from '../route.ts'
import { bodyUnreadable } from './errors.ts'
import type { Script } from './script.ts'

/** Cron triggers of an account on the free plan. */
const maxSchedules = 5

/** Handles GET …/scripts/{name}/schedules. */
export function getSchedules({ parts: { workers } }: Call, { name }: Script): Outcome {
  // documented: GET returns the cron triggers of a script. [API reference, Workers Scripts; types of npm cloudflare 7.3.0]
  return success({ schedules: workers.schedules.get(name) ?? [] })
}

/** Handles PUT …/scripts/{name}/schedules, whose body is a list. */
export function putSchedules({ body, parts: { workers, clock } }: Call, { name }: Script): Outcome {
  // documented: PUT replaces the cron triggers of a script with a list. [API reference, Workers Scripts; types of npm cloudflare
  // 7.3.0]
  const crons = cronsIn(body.toString())
  if (crons === null) throw bodyUnreadable
  const others = [...workers.schedules].flatMap(([other, schedules]) => (other === name ? [] : schedules))
  if (others.length + crons.length > maxSchedules)
    // observed: If the account would have more than five cron triggers on the free plan, the request is refused with code 10072.
    // Assumed: status 400. [workers-sdk issue 15194, 2026-08]
    throw refuse(400, {
      code: 10072,
      message: `This account has reached the Workers Free limit of ${maxSchedules} cron triggers per account.`,
    })
  const now = formatInstant(clock.now())
  const schedules = crons.map(cron => ({ cron, created_on: now, modified_on: now }))
  workers.schedules.set(name, schedules)
  return success({ schedules })
}

function cronsIn(text: string): readonly string[] | null {
  try {
    const list: unknown = JSON.parse(text)
    const crons = Array.isArray(list) ? list.map(one => Object(one).cron) : [null]
    return crons.every(cron => typeof cron === 'string') ? crons : null
  } catch {
    return null
  }
}
