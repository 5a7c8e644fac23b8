import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ReverseProxy, startProxy } from '../support/proxy.ts'
import { runtimes, type Stage, startStage } from '../support/stage.ts'

describe.each(runtimes)('an application behind a proxy, with the handler on %s,', runtime => {
  let stage: Stage
  let proxy: ReverseProxy
  beforeAll(async () => {
    stage = await startStage(runtime, { env: { SESSION_IDLE: '1h' } })
    proxy = await startProxy(stage.origin)
  })
  afterAll(async () => {
    await proxy?.close()
    await stage?.close()
  })
  beforeEach(() => void (proxy.passed as unknown[]).splice(0))

  it('gets the user in headers that the visitor cannot set', async () => {
    const { account, userName, employeeId } = await stage.hire()
    const visitor = stage.visitor()
    await visitor.signIn(account)
    const forged = { 'x-homeport-username': 'root', 'x-homeport-is-admin': '1', 'x-homeport-anything': 'x' }
    const answer = await visitor.request(`${proxy.origin}/timesheets?week=47`, { headers: forged })
    expect(answer.text).toBe('the application')
    expect(proxy.passed).toHaveLength(1)
    expect(proxy.passed[0]?.headers).toMatchObject({
      'x-homeport-username': userName,
      'x-homeport-resource-id': employeeId,
      'x-homeport-is-admin': '0',
    })
    expect(proxy.passed[0]?.headers).not.toHaveProperty('x-homeport-anything')
  })

  it.each([
    ['HR/4:1+%&', 'HR/4:1+%25&'],
    ['№ 7\nx-homeport-is-admin: 1', '%E2%84%96%207%0Ax-homeport-is-admin:%201'],
  ])('gets the name percent-encoded, and the id %j encoded only where needed', async (id, sent) => {
    const userName = `zoë${id.length}`
    const { account } = await stage.hire({
      employee: { userName, id: `${id}${runtime}` },
      user: { userPrincipalName: `zoe${id.length}@example.com`, mail: `${userName}@example.com` },
    })
    const visitor = stage.visitor()
    await visitor.signIn(account)
    const { headers } = await visitor.call('/api/auth/forward')
    expect(headers.get('x-homeport-username')).toBe(encodeURIComponent(userName))
    expect(headers.get('x-homeport-resource-id')).toBe(`${sent}${runtime}`)
    expect(headers.get('x-homeport-is-admin')).toBe('0')
  })

  it('opens by a link from another site, with the session', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    await visitor.signIn(account)
    const headers = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    expect((await visitor.request(`${proxy.origin}/`, { headers })).status).toBe(200)
  })

  it('is closed without a session, after logout and after deactivation', async () => {
    const asked = await stage.visitor().request(`${proxy.origin}/timesheets/?week=47&day=2`)
    expect(asked.headers.get('location')).toBe(`${stage.origin}/?return=/timesheets/?week=47&day=2`)
    const { account, employeeId } = await stage.hire()
    const visitor = stage.visitor()
    await visitor.signIn(account)
    expect((await visitor.request(proxy.origin)).status).toBe(200)
    await visitor.logout()
    expect((await visitor.request(proxy.origin)).status).toBe(302)
    await visitor.signIn(account)
    await stage.store.query('UPDATE employees SET is_active = false WHERE id = $1', [employeeId])
    expect((await visitor.request(proxy.origin)).status).toBe(302)
    expect(proxy.passed).toHaveLength(1)
  })

  it('is closed while the store fails, but nobody is signed out', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    await visitor.signIn(account)
    const repair = await stage.breakStore()
    expect((await visitor.request(proxy.origin)).status).toBe(500)
    await repair()
    expect((await visitor.request(proxy.origin)).status).toBe(200)
  })
})
