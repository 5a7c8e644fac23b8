import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sessionCookie } from '../../src/http/cookies.ts'
import { routes } from '../../src/routes.ts'
import { forgedHeaders, isRefused, lookalikePrefixes, otherCookieNames } from '../support/forgeries.ts'
import { send } from '../support/send.ts'
import { type Person, type Stage, startStage, twoHosts } from './support/stage.ts'

/** On each runtime one form, so that both have a test. Only Node can believe what a request says about its host. */
const stages = [
  { runtime: 'node', form: 'a path of two hosts', env: twoHosts, base: '/_homeport', hostName: '127.0.0.1' },
  { runtime: 'worker', form: 'one host', env: {}, base: '', hostName: 'localhost' },
] as const

describe.each(stages)('a handler on $runtime with $form', ({ runtime, env, base, hostName }) => {
  let stage: Stage
  let origin: string
  let victim: Person
  let session: string
  let attackersSession: string

  async function signedIn({ account }: Person): Promise<string> {
    const visitor = stage.visitor('main', origin)
    expect((await visitor.signIn(account)).status).toBe(200)
    return visitor.cookie('session') ?? ''
  }
  beforeAll(async () => {
    stage = await startStage(runtime, { env })
    origin = stage.origin.replace('localhost', hostName)
    victim = await stage.hire()
    session = await signedIn(victim)
    attackersSession = await signedIn(await stage.hire())
  })
  afterAll(() => stage?.close())

  /** Sends headers as they are. */
  function ask(path: string, ...headers: readonly string[]) {
    const close = headers.some(header => /^connection:/i.test(header)) ? [] : ['Connection: close']
    const last = headers.some(header => /chunked$/.test(header)) ? '0\r\n\r\n' : ''
    const lines = [`GET ${base}${path} HTTP/1.1`, `Host: ${new URL(origin).host}`, ...close, ...headers]
    return send(Number(new URL(origin).port), `${lines.join('\r\n')}\r\n\r\n${last}`, {
      ends: runtime === 'worker',
    })
  }
  const askSession = async (cookie: string) => {
    const { status, text } = await ask(routes.session, `Cookie: ${cookie}`)
    return [status, status === 200 ? JSON.parse(text).user.username : null]
  }

  it.each(forgedHeaders)('lets nobody in, and changes nobody’s identity, by %s', async (_, ...headers) => {
    for (const path of [routes.session, routes.forward, `${routes.forward}?navigate=redirect`]) {
      const { status, headers: answered } = await ask(path, ...headers)
      expect([400, 401, 403, 421], path).toContain(status)
      expect(answered.join('\n')).not.toMatch(/^(x-homeport|location|set-cookie)/m)
    }
    const answer = await ask(routes.forward, ...headers, `Cookie: ${sessionCookie}=${session}`)
    const identity = answer.headers.filter(header => header.startsWith('x-homeport-')).sort()
    const own = [
      'x-homeport-is-admin: 0',
      `x-homeport-resource-id: ${victim.employeeId.toLowerCase()}`,
      `x-homeport-username: ${victim.userName}`,
    ]
    expect([isRefused(headers) ? [403, []] : [204, own], [400, []]]).toContainEqual([answer.status, identity])
    const open = await ask(`${routes.forward}?path=open`, ...headers)
    expect([isRefused(headers) ? 403 : 204, 400]).toContain(open.status)
    expect(open.headers.join('\n')).not.toMatch(/^(x-homeport|location|set-cookie)/m)
  })

  it.each(lookalikePrefixes)(
    'takes no cookie for a session with %s in front, and finds the real one',
    async (_, prefix) => {
      const planted = `${prefix}${sessionCookie}=${attackersSession}`
      expect(await askSession(planted)).toEqual([401, null])
      expect(await askSession(`${planted}; ${sessionCookie}=${session}`)).toEqual([200, victim.userName])
    },
  )

  it('takes no cookie for a session under another name, or if it is sent twice', async () => {
    for (const name of otherCookieNames)
      expect(await askSession(`${name}=${attackersSession}`), name).toEqual([401, null])
    const pair = `${sessionCookie}=${session}`
    for (const twice of [`${pair}; ${pair}`, `${pair}; ${sessionCookie}=${attackersSession}`])
      expect(await askSession(twice)).toEqual([401, null])
  })
})
