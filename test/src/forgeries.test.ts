import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sessionCookie } from '../../src/http/cookies.ts'
import { routes } from '../../src/routes.ts'
import { forgedHeaders, isRefused } from '../support/forgeries.ts'
import { bytesOf, send } from '../support/send.ts'
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

  beforeAll(async () => {
    stage = await startStage(runtime, env)
    origin = stage.origin.replace('localhost', hostName)
    victim = await stage.hire()
    const visitor = stage.visitor(origin)
    expect((await visitor.signIn(victim.account)).status).toBe(200)
    session = visitor.cookie('session') ?? ''
  })
  afterAll(() => stage?.close())

  /** Sends headers as they are. */
  function ask(path: string, ...headers: readonly string[]) {
    const { host, port } = new URL(origin)
    return send(Number(port), bytesOf(`GET ${base}${path}`, host, headers), { ends: runtime === 'worker' })
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
})
