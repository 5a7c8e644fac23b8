import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { atToken, gatewayPage, late } from '../../../sandbox/testing/entra-faults.ts'
import type { Answer } from '../../support/visitor.ts'
import { pairOf, startInProcess } from '../support/in-process.ts'
import { returning } from '../support/returning.ts'
import { runtimes, type Stage, startStage } from '../support/stage.ts'

describe.each(runtimes)('sign-in on %s', runtime => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(runtime, { variants: { second: { REQUIRE_STATE: 'true' } } })
  })
  afterAll(() => stage?.close())
  beforeEach(() => {
    stage.entra.setFaults([])
    stage.entra.clearRequests()
  })
  const upstream = () => stage.entra.requests.filter(({ path }) => /\/(token|me)$/.test(path))

  it('returns the user and a session, with the id as text and the admin flag as a boolean', async () => {
    const { account, userName, employeeId } = await stage.hire({ employee: { admin: true } })
    const visitor = stage.visitor()
    const answer = await visitor.signIn(account)
    const user = { username: userName, resourceId: employeeId, isAdmin: true }
    expect(answer.status).toBe(200)
    expect(answer.text).toBe(JSON.stringify({ user }))
    expect((await visitor.session()).body).toEqual({ user })
    expect(visitor.cookie('transaction')).toBeUndefined()
  })

  it('works for a client that sends only the code', async () => {
    const { account, userName } = await stage.hire()
    const answer = await stage.visitor().signIn(account, { codeOnly: true })
    expect(answer.body).toMatchObject({ user: { username: userName } })
  })

  it('requests only User.Read, with PKCE S256 and the configured redirect URI (ASVS 5.0 10.2.3)', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    const url = await visitor.start()
    const { instance, tenantId, clientId } = stage.entra.description
    expect(`${url.origin}${url.pathname}`).toBe(`${instance}${tenantId}/oauth2/v2.0/authorize`)
    const { state, code_challenge, ...rest } = Object.fromEntries(url.searchParams)
    expect(state).toMatch(/^[\w-]{22}$/)
    expect(code_challenge).toMatch(/^[\w-]{43}$/)
    expect(rest).toEqual({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: stage.redirectUri,
      response_mode: 'query',
      scope: 'User.Read',
      code_challenge_method: 'S256',
    })
    await visitor.callback(await visitor.visitProvider(url, account))
    const [token, me, ...others] = upstream()
    expect(others).toEqual([])
    const fields = Object.fromEntries(new URLSearchParams(token?.body ?? ''))
    expect(fields).toMatchObject({
      grant_type: 'authorization_code',
      scope: 'User.Read',
      redirect_uri: stage.redirectUri,
    })
    expect(Object.keys(fields).sort()).toEqual(
      ['client_id', 'client_secret', 'code', 'code_verifier', 'grant_type', 'redirect_uri', 'scope'].sort(),
    )
    // Entra refuses a confidential client that sends an Origin header.
    expect(Object.keys(token?.headers ?? {})).not.toContain('origin')
    expect(me).toMatchObject({ method: 'GET', path: '/v1.0/me', query: '' })
    // Graph lets these through first when it throttles the application.
    expect(me?.headers['x-ms-throttle-priority']).toBe('high')
  })

  it('lets the user choose another account', async () => {
    const [first, second] = [await stage.hire(), await stage.hire()]
    const visitor = stage.visitor()
    await visitor.signIn(first.account)
    const url = await visitor.start('?prompt=select_account')
    const answer = await visitor.callback(await visitor.visitProvider(url, second.account))
    expect(answer.body).toMatchObject({ user: { username: second.userName } })
  })

  it('completes twenty tabs in any order, with one session, and older ones with it', async () => {
    const { account, userName } = await stage.hire()
    const visitor = stage.visitor()
    const urls: URL[] = []
    for (let tab = 0; tab < 22; tab += 1) urls.push(await visitor.start(`?return=/tickets/${tab}`))
    const comeBack = async (tab: number) => stage.visitor().visitProvider(urls[tab] ?? new URL(''), account)
    const early = await visitor.callback(await comeBack(0))
    expect(early.body).toMatchObject({ code: 'sign-in-expired', status: 401 })
    const sessions = new Set<string | undefined>()
    for (const tab of [21, 2, 12]) {
      const answer = await visitor.callback(await comeBack(tab))
      expect(answer.body).toMatchObject({ user: { username: userName }, return: `/tickets/${tab}` })
      sessions.add(visitor.cookie('session'))
    }
    expect(sessions.size).toBe(1)
    stage.entra.clearRequests()
    const late = await visitor.callback(await comeBack(1))
    expect([late.status, late.body]).toEqual([200, { user: expect.objectContaining({ username: userName }) }])
    expect(upstream()).toEqual([])
    expect(stage.output()).not.toContain('"security":true')
  })

  it('starts a session anew for another account, in a tab that began before', async () => {
    const [ada, grace] = [await stage.hire(), await stage.hire()]
    const visitor = stage.visitor()
    const [one, other] = [await visitor.start(), await visitor.start()]
    await visitor.callback(await visitor.visitProvider(one, ada.account))
    const first = stage.visitor()
    first.setCookie('session', visitor.cookie('session'))
    const answer = await visitor.callback(await stage.visitor().visitProvider(other, grace.account))
    expect(answer.body).toMatchObject({ user: { username: grace.userName } })
    expect((await first.session()).body).toMatchObject({ code: 'signed-out' })
  })

  it('returns the same user for a callback repeated with the session cookie, as the store says now', async () => {
    const { visitor, userName, employeeId, returned } = await returning(stage)
    await visitor.callback(returned)
    const session = visitor.cookie('session')
    expect((await visitor.callback(returned)).body).toMatchObject({ user: { username: userName } })
    expect(visitor.cookie('session')).toBe(session)
    await stage.store.query('UPDATE employees SET is_admin = true WHERE id = $1', [employeeId])
    expect((await visitor.callback(returned)).body).toEqual({
      user: { username: userName, resourceId: employeeId, isAdmin: true },
    })
    await stage.store.query('UPDATE employees SET is_active = false WHERE id = $1', [employeeId])
    const answer = await visitor.callback(returned)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.body).not.toHaveProperty('user')
    expect(upstream()).toHaveLength(2)
  })

  it('returns no remembered user after logout or deactivation', async () => {
    const { account, employeeId } = await stage.hire()
    const repeated: Answer[] = []
    for (const end of ['logout', 'deactivation']) {
      const visitor = stage.visitor()
      const returned = await visitor.visitProvider(await visitor.start(), account)
      const transaction = visitor.cookie('transaction')
      expect((await visitor.callback(returned)).status).toBe(200)
      if (end === 'logout') await visitor.logout()
      else await stage.store.query('UPDATE employees SET is_active = false WHERE id = $1', [employeeId])
      const copy = stage.visitor()
      copy.setCookie('transaction', transaction)
      repeated.push(await copy.callback(returned))
      expect(copy.cookie('session')).toBeUndefined()
    }
    const [afterLogout, afterDeactivation] = repeated
    expect(afterLogout?.body).toMatchObject({ code: 'sign-in-expired', status: 401 })
    expect(afterDeactivation?.body).toMatchObject({ code: 'inactive', status: 401 })
  })

  it.each(['at once', 'later'])(
    'completes a callback that the browser gave up on, so that a repeat %s succeeds',
    async when => {
      const { visitor, userName, returned } = await returning(stage)
      stage.entra.setFaults([atToken(late(400))])
      const cookie = `__Host-homeport-transaction=${visitor.cookie('transaction')}`
      const abandoned = request(`${stage.origin}/api/auth/callback?${returned}`, { headers: { cookie } })
      const gone = once(abandoned.end(), 'error')
      await expect.poll(() => upstream().length, { interval: 10, timeout: 5000 }).toBe(1)
      // A reset, since workerd ignores a closed connection until it answers.
      abandoned.socket?.resetAndDestroy()
      await gone
      // The first request completes even if nobody asks again.
      if (when === 'later') await expect.poll(() => upstream().length, { timeout: 5000 }).toBe(2)
      expect((await visitor.callback(returned)).body).toMatchObject({ user: { username: userName } })
      expect((await visitor.session()).status).toBe(200)
      expect(upstream()).toHaveLength(2)
    },
  )

  it('redeems codes as long as Entra’s, and refuses longer ones', async () => {
    for (const [length, code] of [
      [1500, 'sign-in-expired'],
      [4096, 'sign-in-expired'],
      [4097, 'code-missing'],
    ] as const) {
      stage.entra.clearRequests()
      const visitor = stage.visitor()
      await visitor.start()
      const answer = await visitor.callback({ code: `0.A${'b'.repeat(length - 3)}` })
      expect(answer.body, String(length)).toMatchObject({ code })
      expect(upstream()).toHaveLength(code === 'code-missing' ? 0 : 1)
    }
  })

  it('exchanges nothing for a callback that is not pending, and goes on only with a session that counts', async () => {
    const { visitor, userName, returned } = await returning(stage)
    await visitor.callback(returned)
    const code = returned.get('code') ?? ''
    stage.entra.clearRequests()
    const gone = { code, state: 'another' }
    expect((await visitor.callback(gone)).body).toEqual({
      user: expect.objectContaining({ username: userName }),
    })
    const session = visitor.cookie('session')
    await visitor.logout()
    visitor.setCookie('session', session)
    expect((await visitor.callback(gone)).body).toMatchObject({ code: 'transaction-missing' })
    expect(upstream()).toEqual([])
  })

  it('keeps another tab’s sign-in when the provider fails this one', async () => {
    const { visitor, account, userName, returned } = await returning(stage)
    stage.entra.setFaults([atToken(gatewayPage)])
    const [failed, url] = await Promise.all([visitor.callback(returned), visitor.start()])
    expect(failed.body).toMatchObject({ code: 'provider-unavailable' })
    stage.entra.setFaults([])
    const answer = await visitor.callback(await visitor.visitProvider(url, account))
    expect(answer.body).toMatchObject({ user: { username: userName } })
  })

  it('works across instances that share only the keys and the store', async () => {
    const { visitor, userName, returned } = await returning(stage)
    const elsewhere = stage.visitor('second')
    elsewhere.setCookie('transaction', visitor.cookie('transaction'))
    expect((await elsewhere.callback(returned)).body).toMatchObject({ user: { username: userName } })
    visitor.setCookie('session', elsewhere.cookie('session'))
    expect((await visitor.session()).status).toBe(200)
    await elsewhere.logout()
    expect((await visitor.session()).body).toMatchObject({ code: 'signed-out' })
  })
})

it('decrypts each cookie of a callback once', async () => {
  const app = startInProcess()
  const first = await app.start()
  const [session] = (await app.call(first.callback, first.cookie)).headers.getSetCookie()
  const second = await app.start()
  app.decryptions = 0
  const response = await app.call(second.callback, `${second.cookie}; ${pairOf(session)}`)
  expect(response.status).toBe(200)
  expect(app.decryptions).toBe(2)
})
