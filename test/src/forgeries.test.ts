import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sessionCookie } from '../../src/http/cookies.ts'
import { routes } from '../../src/routes.ts'
import {
  forgedHeaders,
  isRefused,
  lookalikePrefixes,
  otherCookieNames,
  refusedReturnPaths,
} from '../support/forgeries.ts'
import { send } from '../support/send.ts'
import { forms, type Person, runtimes, type Stage, startStage } from './support/stage.ts'

/** Those that differ most; the Worker's code for hosts and paths is Node's. */
const formsOf = { node: ['one host', 'a path of two hosts'], worker: ['a path of two hosts'] } as const

describe.each(runtimes)('on %s,', runtime => {
  let stage: Stage
  beforeAll(async () => {
    const other = 'a path of two hosts'
    const variants = { [other]: forms[other] }
    stage = await startStage(runtime, { env: forms['one host'], variants, registered: [other] })
  })
  afterAll(() => stage?.close())

  describe.each(formsOf[runtime])('a handler with %s', form => {
    const { BASE_PATH: base, REDIRECT_URI: uris } = forms[form]
    const hostName = uris.includes(',') ? '127.0.0.1' : 'localhost'
    let host: string
    let victim: Person
    let session: string
    let attackersSession: string

    /** Returns a visitor of the last host of this handler. */
    function visitor() {
      const { origin } = stage.visitor(form === 'one host' ? 'main' : form)
      return stage.visitor(form === 'one host' ? 'main' : form, origin.replace('localhost', hostName))
    }
    async function signedIn({ account }: Person): Promise<string> {
      const visiting = visitor()
      expect((await visiting.signIn(account)).status).toBe(200)
      return visiting.cookie('session') ?? ''
    }
    beforeAll(async () => {
      host = new URL(visitor().origin).host
      victim = await stage.hire()
      session = await signedIn(victim)
      attackersSession = await signedIn(await stage.hire())
    })

    /** Sends headers as they are. */
    function ask(path: string, ...headers: readonly string[]) {
      const close = headers.some(header => /^connection:/i.test(header)) ? [] : ['Connection: close']
      const last = headers.some(header => /chunked$/.test(header)) ? '0\r\n\r\n' : ''
      const lines = [`GET ${base}${path} HTTP/1.1`, `Host: ${host}`, ...close, ...headers]
      return send(Number(host.split(':')[1]), `${lines.join('\r\n')}\r\n\r\n${last}`, {
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
      expect([isRefused(headers) ? [403, []] : [204, own], [400, []]]).toContainEqual([
        answer.status,
        identity,
      ])
      const open = await ask(`${routes.forward}?path=open`, ...headers)
      expect([isRefused(headers) ? 403 : 204, 400]).toContain(open.status)
      expect(open.headers.join('\n')).not.toMatch(/^(x-homeport|location|set-cookie)/m)
    })

    it('returns nobody to another host, to its own sign-in or into its API', async () => {
      const [first = ''] = uris.split(',')
      const elsewhere = [`//${host}/x`, `http://${host}/x`, first.replace('{port}', host.split(':')[1] ?? '')]
      for (const path of [...refusedReturnPaths(base), ...elsewhere]) {
        const visiting = visitor()
        const answer = await visiting.call(`${routes.loginUrl}?${new URLSearchParams({ return: path })}`)
        expect(answer.body, path).toMatchObject({ code: 'return-invalid', status: 400 })
        expect(answer.headers.getSetCookie()).toEqual([])
        if (/[^!-~]|#/.test(path)) continue
        const cookie = `Cookie: ${sessionCookie}=${session}`
        const page = await ask(`${routes.signIn}?return=${path}`, cookie, 'Sec-Fetch-Site: cross-site')
        expect([page.status, page.headers.filter(header => header.startsWith('location'))], path).toEqual([
          200,
          [],
        ])
      }
      const visiting = visitor()
      const returned = await visiting.visitProvider(
        await visiting.start(`?return=${encodeURIComponent('/timesheets/?week=47')}`),
        victim.account,
      )
      expect((await visiting.callback(returned)).body['return']).toBe('/timesheets/?week=47')
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
})
