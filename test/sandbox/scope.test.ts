import { beforeAll, describe, expect, test } from 'vitest'
import { including, type Permission, permissionGroups } from '../../sandbox/cloudflare/permission-groups.ts'
import type { Route } from '../../sandbox/cloudflare/route.ts'
import { routes } from '../../sandbox/cloudflare/routes.ts'
import { allowOn, allowOnAccount, allowOnUser, type Policy } from '../../sandbox/cloudflare/token.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()
const someId = 'd'.repeat(32)

const labelOf = ({ method, pattern }: Route): string => `${method} ${pattern}`

/** The path of a route in a zone and an account, with made-up names in its other places. */
const pathOf = ({ pattern }: Route, zone: string, account: string): string =>
  pattern
    .replace(':zone', zone)
    .replace(':account', account)
    .replaceAll(/:\w+/g, someId)
    .replaceAll(/\*\w+/g, 'something')

type Answer = { readonly status: number; readonly codes: readonly number[] }

const ask = async (route: Route, token: string | null, zone: string, account: string): Promise<Answer> => {
  const { status, body } = await sandbox.api(route.method, pathOf(route, zone, account), {
    token,
    ...(route.method === 'GET' ? {} : { body: {} }),
  })
  return { status, codes: body.errors.map(({ code }) => code) }
}

/** Whether an answer is what a token out of its scope gets, or what is not there at all, whatever the area's words for it. */
const isOutOfScope = ({ status, codes }: Answer): boolean =>
  (status === 403 && codes.some(code => [0, 9109, 10000].includes(code))) ||
  (status === 401 && codes.includes(1000)) ||
  codes.includes(7003)

const own = () => sandbox.at.cloudflare.zoneId
const account = () => sandbox.at.cloudflare.accountId

const putToken = async (value: string, policies: readonly Policy[], more: object = {}) => {
  const { tokens } = (await sandbox.control('GET', '/state')).body as { tokens: { value: string }[] }
  const others = tokens.filter(token => token.value !== value)
  const answer = await sandbox.control('PUT', '/state', { tokens: [...others, { value, policies, ...more }] })
  expect(answer.body).toEqual({ ok: true })
}

const reached = async (token: string | null, zone = own(), ofAccount = account()): Promise<string[]> => {
  const labels: string[] = []
  for (const route of routes) {
    if (!isOutOfScope(await ask(route, token, zone, ofAccount))) labels.push(labelOf(route))
  }
  return labels
}

const recordRoutes = routes.filter(({ pattern }) => pattern.includes('/dns_records')).map(labelOf)

describe('a token scoped to DNS in one zone', () => {
  test('reaches the records of that zone and can have itself verified, and nothing else there is', async () => {
    expect(recordRoutes).toHaveLength(7)
    expect(await reached(sandbox.at.cloudflare.dnsToken)).toEqual(
      routes
        .map(labelOf)
        .filter(label => recordRoutes.includes(label) || label === 'GET /user/tokens/verify'),
    )
  })

  test('reaches nothing of another zone, of a zone that does not exist, or of another account', async () => {
    const { body } = await sandbox.api<{ id: string }[]>('GET', '/zones?name=other.example')
    for (const zone of [body.result[0]?.id ?? '', someId]) {
      expect(await reached(sandbox.at.cloudflare.dnsToken, zone, someId)).toEqual(['GET /user/tokens/verify'])
    }
  })
})

describe('no route answers', () => {
  test.each([
    ['without a token', null],
    ['an unknown token', 'a'.repeat(40)],
    ['a malformed token', 'short'],
  ])('%s', async (_, token) => {
    for (const route of routes) {
      const { status, codes } = await ask(route, token, own(), account())
      expect([400, 401, 403], labelOf(route)).toContain(status)
      expect([1000, 1001, 6003, 9106, 9109, 10000], labelOf(route)).toContain(codes[0])
    }
  })
})

const grantOf = (permission: Permission): Policy => {
  const [scope] = permissionGroups[permission].scopes
  if (scope === 'com.cloudflare.api.account.zone') return allowOn(own(), permission)
  return scope === 'com.cloudflare.api.account'
    ? allowOnAccount(account(), permission)
    : allowOnUser('*', permission)
}

describe.each(Object.keys(permissionGroups) as Permission[])('a token with %s alone', permission => {
  const value = 'p'.repeat(40)
  beforeAll(() => putToken(value, [grantOf(permission)]))

  test('reaches the routes that ask for it, or for the reading that it includes', async () => {
    const fitting = routes
      .filter(route => route.on !== 'self' && including(route.requires).includes(permission))
      .map(labelOf)
    const reachable = await reached(value)
    expect(reachable.filter(label => !isOfItself(label))).toEqual(fitting)
  })
})

/** Routes on which a token asks about itself, or where what it finds decides. */
const isOfItself = (label: string): boolean =>
  routes.some(route => route.on === 'self' && labelOf(route) === label)

describe('a policy', () => {
  const value = 'q'.repeat(40)
  const readable = async () => (await sandbox.api('GET', sandbox.records, { token: value })).status
  const groups = [{ id: permissionGroups.dnsWrite.id }]
  const zoneKey = () => `com.cloudflare.api.account.zone.${own()}`
  const accountKey = (id = account()) => `com.cloudflare.api.account.${id}`

  test.each([
    ['a zone', () => ({ [zoneKey()]: '*' }), 200],
    ['every zone', () => ({ 'com.cloudflare.api.account.zone.*': '*' }), 200],
    ['a zone in its account', () => ({ [accountKey()]: { [zoneKey()]: '*' } }), 200],
    [
      'every zone of its account',
      () => ({ [accountKey()]: { 'com.cloudflare.api.account.zone.*': '*' } }),
      200,
    ],
    [
      'every zone of every account',
      () => ({ [accountKey('*')]: { 'com.cloudflare.api.account.zone.*': '*' } }),
      200,
    ],
    ['a zone in another account', () => ({ [accountKey(someId)]: { [zoneKey()]: '*' } }), 403],
    ['its account but no zone', () => ({ [accountKey()]: '*' }), 403],
    ['another zone', () => ({ [`com.cloudflare.api.account.zone.${someId}`]: '*' }), 403],
  ] as const)('on %s', async (_, resources, status) => {
    await putToken(value, [{ effect: 'allow', permission_groups: groups, resources: resources() }])
    expect(await readable()).toBe(status)
  })

  test('that denies goes before one that allows', async () => {
    const allow = allowOn('*', 'dnsWrite')
    await putToken(value, [allow, { ...allowOn(own(), 'dnsRead'), effect: 'deny' }])
    expect(await readable()).toBe(403)
    await putToken(value, [allow, { ...allowOn(someId, 'dnsRead'), effect: 'deny' }])
    expect(await readable()).toBe(200)
    await putToken(value, [allow, { ...allowOn(own(), 'dnsWrite'), effect: 'deny' }])
    expect(await readable()).toBe(200)
    expect((await sandbox.api('POST', sandbox.records, { token: value, body: {} })).status).toBe(403)
  })
})
