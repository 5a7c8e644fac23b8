import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Answer } from '../support/visitor.ts'
import { logLine } from './support/log-line.ts'
import { type Person, type Stage, startStage } from './support/stage.ts'

describe('a refused sign-in', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage('worker', {
      variants: {
        guests: { ALLOW_GUESTS: 'true', ALLOWED_DOMAINS: 'example.com visitors.example' },
        careful: { BIND_ON_FIRST_USE: 'employees' },
      },
    })
  })
  afterAll(() => stage?.close())
  beforeEach(() => stage.entra.setFaults([]))

  async function outcome(account: string, variant = 'main') {
    const visitor = stage.visitor(variant)
    const answer = await visitor.signIn(account)
    expect(visitor.cookie('session') === undefined).toBe(answer.status !== 200)
    return answer
  }

  it('tells a user without an employee record that they are not in the system, and whom to ask', async () => {
    const { account } = await stage.hire({ employee: null })
    const answer = await outcome(account)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.headers.get('www-authenticate')).toMatch(/^Homeport /)
    expect(answer.body).toEqual({
      type: 'urn:homeport:problem:not-in-system',
      title: expect.stringContaining('not in the employee system'),
      status: 401,
      detail: expect.stringMatching(
        new RegExp(`[Cc]ontractors.*ask HR or your contact.* You used ${account}\\.$`),
      ),
      code: 'not-in-system',
      correlationId: answer.headers.get('x-correlation-id'),
    })
  })

  const bind = ({ employeeId, objectId }: Person) =>
    stage.store.query(
      "INSERT INTO homeport_bindings (employee_id, directory_id, bound_at, bound_by) VALUES ($1, $2, 0, 'operator')",
      [employeeId, objectId],
    )

  it('follows Mail if it and the principal name mean two employees, and logs that, or requires a binding', async () => {
    async function takeOver(variant: string) {
      const [boss, intern] = [await stage.hire(), await stage.hire()]
      stage.setUser(intern, { mail: `${boss.userName}@example.com` })
      return { boss, intern, answer: await outcome(intern.account, variant) }
    }
    const logged = async ({ headers }: Answer) => (await logLine(stage, headers))['security'] === true
    const open = await takeOver('main')
    expect(open.answer.body).toMatchObject({ user: { username: open.boss.userName } })
    expect(await logged(open.answer)).toBe(true)
    const careful = await takeOver('careful')
    expect(careful.answer.body).toMatchObject({ code: 'binding-required', status: 401 })
    expect(await logged(careful.answer)).toBe(true)
    // A second name that belongs to no employee is an alias.
    const alias = await stage.hire({ user: { userPrincipalName: 'alias@example.com' } })
    const answer = await outcome(alias.account, 'careful')
    expect(answer.body).toMatchObject({ user: { username: alias.userName } })
    expect(await logged(answer)).toBe(false)
  })

  it('keeps a renamed account from another’s employee record (ASVS 5.0 10.3.3, 10.5.2)', async () => {
    const [owner, other] = [await stage.hire(), await stage.hire()]
    expect((await outcome(owner.account)).status).toBe(200)
    expect((await outcome(other.account)).status).toBe(200)
    stage.setUser(other, { mail: `${owner.userName}@example.com` })
    expect((await outcome(other.account)).body).toMatchObject({ code: 'identity-changed', status: 401 })
  })

  it('keeps a new account with an old name from the old employee record (ASVS 5.0 10.3.3, 10.5.2)', async () => {
    const owner = await stage.hire()
    expect((await outcome(owner.account)).status).toBe(200)
    stage.setUser(owner, {
      mail: 'gone@example.com',
      userPrincipalName: `gone-${owner.userName}@example.com`,
    })
    const successor = await stage.hire({ employee: null, user: { mail: `${owner.userName}@example.com` } })
    expect((await outcome(successor.account)).body).toMatchObject({ code: 'identity-changed' })
  })

  it('requires a binding outside the primary domain, and for guests', async () => {
    const secondary = await stage.hire({ domain: 'example.org' })
    expect((await outcome(secondary.account)).body).toMatchObject({ code: 'binding-required', status: 401 })
    const guest = await stage.hire({
      user: { userPrincipalName: `pat_visitors.example#EXT#@example.com`, mail: null },
      employee: { userName: `pat_visitors.example#EXT#` },
    })
    expect((await outcome(guest.account, 'guests')).body).toMatchObject({ code: 'binding-required' })
    for (const person of [secondary, guest]) await bind(person)
    expect((await outcome(secondary.account)).status).toBe(200)
    expect((await outcome(guest.account, 'guests')).status).toBe(200)
    expect((await outcome(guest.account)).body).toMatchObject({ code: 'guest-not-allowed' })
  })

  it('reports a failing store as employees-unavailable, never as not-in-system', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    await visitor.signIn(account)
    const repair = await stage.breakStore()
    try {
      const answer = await outcome(account)
      expect(answer.body).toMatchObject({ code: 'employees-unavailable', status: 503 })
      expect(answer.headers.getSetCookie()).toEqual([])
      expect(answer.headers.get('retry-after')).toBe('10')
      expect((await visitor.session()).body).toMatchObject({ code: 'employees-unavailable' })
      expect((await visitor.call('/api/auth/forward')).status).toBe(503)
      expect(visitor.cookie('session')).toBeDefined()
      expect((await visitor.call('/healthz')).body).toEqual({ status: 'unavailable' })
    } finally {
      await repair()
    }
    expect((await visitor.session()).status).toBe(200)
  })

  it('reports why the provider refused, and asks for an administrator only if the person did not decline consent', async () => {
    for (const [user, code, administrator] of [
      ['consent-required', 'consent-required', true],
      ['consent-declined', 'consent-required', false],
      ['admin-consent-required', 'consent-required', true],
      ['not-assigned', 'not-assigned', true],
      ['conditional-access', 'sign-in-refused', false],
      ['mfa-required', 'sign-in-refused', false],
    ] as const) {
      const { account } = await stage.hire({ user: { outcome: user } })
      const { body } = await outcome(account)
      expect(body, user).toMatchObject({ code, status: 403 })
      expect(/administrator/i.test(`${body['title']} ${body['detail']}`), user).toBe(administrator)
      expect(body['declined'], user).toBe(user === 'consent-declined' ? true : undefined)
    }
  })

  it('answers everything with misconfigured if a setting is wrong: on Node the handler does not start', async () => {
    const broken = await startStage('worker', {
      env: {
        SCOPES: 'User.Read Directory.Read.All',
        SESSION_KEYS: 'x:y',
        REQUIRE_STAT: 'true',
        CLIENT_SECRET_FILE: '/x',
        CLIENT_CERTIFICATE_FILE: '/y',
        FEDERATED_TOKEN_FILE: '/z',
        HTTPS_PROXY: 'http://127.0.0.1:9',
      },
    })
    const answer = await broken.visitor().call('/api/session')
    expect(answer.body).toMatchObject({ code: 'misconfigured', status: 500 })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    for (const message of [
      /SCOPES asks for more/,
      /SESSION_KEYS has key 1/,
      /REQUIRE_STAT is not a setting.* Use REQUIRE_STATE/,
      /A Worker uses no proxy\. Remove HTTPS_PROXY/,
      /CLIENT_SECRET_FILE names a file, which a Worker cannot read\./,
      /CLIENT_CERTIFICATE_FILE names a file, which a Worker cannot read\./,
      /FEDERATED_TOKEN_FILE names a file, which a Worker cannot read\./,
    ])
      await expect.poll(() => broken.output()).toMatch(message)
    await broken.close()
  })
})
