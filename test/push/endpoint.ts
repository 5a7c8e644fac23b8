import { systemClock as clock } from '../../action/deadline.ts'
import { exchange } from '../../push/exchange.ts'
import { createHandler, type Entry, type HandlerContext } from '../../push/handler.ts'
import { hashPassword } from '../../push/passwords.ts'
import { readSettings } from '../../push/settings.ts'
import { expectValue } from '../support/expect-value.ts'
import type { Stage } from '../support/stage.ts'
import { settingsFor } from './support.ts'

export const home = 'home.example.com'
/** A name with records of both types. */
export const both = 'both.example.com'
/** 26 letters and digits, as `push add` prints them. */
export const password = 'abcdefghijklmnopqrstuvwx23'
export const otherPassword = 'zyxwvutsrqponmlkjihgfedc76'
/** Public addresses, which a record may hold. */
export const first = '8.8.4.4'
export const second = '9.9.9.9'
export const ipv6 = '2a00:1450:4001:82b::1'

/** Returns the line of HOSTS for a name. */
export async function hostLine(name: string, types = 'A', ...passwords: readonly string[]): Promise<string> {
  const hashes = await Promise.all((passwords.length > 0 ? passwords : [password]).map(hashPassword))
  return `${name} ${types} ${hashes.map(hash => `sha256:${hash}`).join(',')}`
}

/** What a FRITZ!Box calls itself. */
export const fritzBox = 'Fritz!Box DDNS/1.0.1'

/** Limits of a ping that no busy machine reaches. */
const unhurried = { answerMs: 120_000, workMs: 120_000, callMs: 6500 }

/** How a request differs from a plain one. */
export interface Ping {
  readonly path?: string
  readonly method?: string
  readonly password?: string | null
  readonly from?: string | null
  readonly secure?: boolean
  readonly agent?: string
}

/** Starts an endpoint in this process, with the sandbox as Cloudflare. */
export async function startEndpoint(
  stage: Stage,
  change: Readonly<Record<string, string>> = {},
  context: Partial<HandlerContext> = {},
) {
  const env = { ...settingsFor(stage.description), HOSTS: await hostLine(home), ...change }
  const entries: Entry[] = []
  const work: Promise<void>[] = []
  const handle = createHandler(expectValue(readSettings(env)), {
    exchange,
    clock,
    log: entry => void entries.push(entry),
    keepAlive: done => void work.push(done),
    limits: unhurried,
    ...context,
  })
  async function ping(query: string, options: Ping = {}) {
    const { path = '/nic/update', method = 'GET', from = second, secure = true, agent } = options
    const given = options.password === undefined ? password : options.password
    const request = new Request(`https://push.example${path}${query === '' ? '' : `?${query}`}`, {
      method,
      headers: {
        ...(given !== null && { authorization: `Basic ${btoa(`homeport:${given}`)}` }),
        ...(agent !== undefined && { 'user-agent': agent }),
      },
    })
    const response = await handle(request, { address: from, secure })
    const body = await response.text()
    await Promise.all(work.splice(0))
    return { status: response.status, body, headers: response.headers }
  }
  return { ping, entries, env }
}
