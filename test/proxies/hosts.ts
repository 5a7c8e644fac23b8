import { expect, it } from 'vitest'
import type { Front } from './front.ts'
import { navigation } from './protection.ts'
import { hostOfNobody, hosts } from './running.ts'

/** Declares the tests of a proxy and a handler with two hosts. */
export function testHosts(front: Front): void {
  const { basePath } = front

  /** Signs a person in on each host. Returns the host with the session's cookie. */
  async function signedInOnEach() {
    const person = await front.stage().hire()
    const sessions: (readonly [host: string, cookie: string])[] = []
    for (const host of hosts) {
      const visitor = front.visitor(host)
      expect((await visitor.signIn(person.account)).status, host).toBe(200)
      sessions.push([host, `Cookie: __Host-homeport-session=${visitor.cookie('session')}`])
    }
    return sessions
  }

  it('takes the session of a host on no other, whichever host a visitor names', async () => {
    const sessions = await signedInOnEach()
    for (const host of hosts) {
      for (const [from, cookie] of sessions) {
        const name = new URL(front.originOf(from)).host
        for (const forged of [
          [],
          [`X-Forwarded-Host: ${name}`],
          [`X_Forwarded_Host: ${name}`, `X.Forwarded.Host: ${name}`],
          [`Forwarded: host=${name}`, `X-Original-Host: ${name}`, `X-Host: ${name}`],
          ['Connection: close, X-Forwarded-Host', `X-Forwarded-Host: ${name}`],
        ]) {
          for (const target of ['/timesheets/', `${basePath}/api/session`]) {
            const { status } = await front.ask(target, { host, headers: [cookie, ...forged] })
            expect(status, `${target} of ${host} with ${forged} and the session of ${from}`).toBe(
              host === from ? 200 : 401,
            )
          }
        }
      }
    }
  })

  it('answers 421 for a host that no redirect URI has', async () => {
    const [[, cookie] = ['', '']] = await signedInOnEach()
    const [host] = hosts
    const forged = `X-Forwarded-Host: ${new URL(front.originOf(host)).host}`
    for (const target of [
      '/timesheets/',
      `${basePath}/`,
      `${basePath}/api/session`,
      `${basePath}/api/auth/login-url`,
    ]) {
      for (const headers of [[], [cookie, forged], navigation]) {
        const answer = await front.ask(target, { host: hostOfNobody, headers })
        expect(answer.status, `${target} ${headers}`).toBe(421)
        expect(answer.headers.join('\n')).not.toMatch(/^(location|set-cookie)/m)
      }
    }
    expect(front.passed()).toEqual([])
  })

  it('lets no host that the proxy does not serve through', async () => {
    const [[, cookie] = ['', '']] = await signedInOnEach()
    for (const host of ['evil.test', 'xlocalhost', 'localhost.evil.test', '[::1]', 'a@localhost', ''])
      for (const target of ['/timesheets/', `${basePath}/api/session`, `http://${host}/timesheets/`])
        await front.ask(target, { host, headers: [cookie] }).then(
          ({ text }) => expect(text, `${target} of ${host}`).not.toContain('"user"'),
          () => undefined,
        )
    expect(front.passed()).toEqual([])
  })
}
