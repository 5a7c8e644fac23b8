import { beforeAll, describe, expect, it } from 'vitest'
import type { Route } from '../../sandbox/cloudflare/route.ts'
import { routes } from '../../sandbox/cloudflare/routes.ts'
import {
  type Permission,
  permissionGroups,
  sufficientPermissions,
} from '../../sandbox/cloudflare/tokens/permission-groups.ts'
import { allowOn, type Policy } from '../../sandbox/cloudflare/tokens/token.ts'
import { stateOf } from '../../sandbox/testing/state.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()
const someId = 'd'.repeat(32)

const labelOf = ({ method, pattern }: Route): string => `${method} ${pattern}`

/** Returns the path of a route in a zone and an account, with made-up values for other parameters. */
const pathOf = ({ pattern }: Route, zone: string, account: string): string =>
  pattern
    .replace(':zone', zone)
    .replace(':account', account)
    .replaceAll(/:\w+/g, someId)
    .replaceAll(/\*\w+/g, 'something')

interface Result {
  readonly status: number
  readonly codes: readonly number[]
}

async function call(route: Route, token: string | null, zone: string, account: string): Promise<Result> {
  const { status, body } = await sandbox.api(route.method, pathOf(route, zone, account), {
    token,
    ...(route.method === 'GET' ? {} : { body: {} }),
  })
  return { status, codes: body.errors.map(({ code }) => code) }
}

/** Whether a response means that the token is out of scope or the resource does not exist. */
const isOutOfScope = ({ status, codes }: Result): boolean =>
  (status === 403 && codes.some(code => [0, 9109, 10000].includes(code))) ||
  (status === 401 && codes.includes(1000)) ||
  codes.includes(7003)

const own = () => sandbox.at.cloudflare.zoneId
const account = () => sandbox.at.cloudflare.accountId

function putToken(value: string, policies: readonly Policy[]) {
  const { tokens } = stateOf(sandbox.control)
  const others = tokens.filter(token => token.value !== value)
  sandbox.control.setState({ tokens: [...others, { value, policies }] })
}

async function reached(token: string | null, zone = own(), ofAccount = account()): Promise<string[]> {
  const labels: string[] = []
  for (const route of routes) {
    if (!isOutOfScope(await call(route, token, zone, ofAccount))) labels.push(labelOf(route))
  }
  return labels
}

/** These answer with what the token may know: itself. */
const forEveryToken = ['GET /user/tokens/verify']

const recordRoutes = routes.filter(({ pattern }) => pattern.includes('/dns_records')).map(labelOf)

describe('a token for DNS in one zone', () => {
  it('reaches only that zone, its records, and verification of itself', async () => {
    expect(recordRoutes).toHaveLength(6)
    expect(await reached(sandbox.at.cloudflare.dnsToken)).toEqual(
      routes
        .map(labelOf)
        .filter(label => [...recordRoutes, ...forEveryToken, 'GET /zones/:zone'].includes(label)),
    )
  })
})

function grantOf(permission: Permission): Policy {
  const [scope] = permissionGroups[permission].scopes
  if (scope === 'com.cloudflare.api.account.zone') return allowOn(['zone', own()], permission)
  const isOfAccount = scope === 'com.cloudflare.api.account'
  return allowOn(isOfAccount ? ['account', account()] : ['user', '*'], permission)
}

describe.each(Object.keys(permissionGroups) as Permission[])(
  'a token with only the permission %s',
  permission => {
    const value = 'p'.repeat(40)
    beforeAll(() => putToken(value, [grantOf(permission)]))

    it('reaches the routes that require it, or the read permission it includes', async () => {
      const fitting = routes
        .filter(route => route.on !== 'self')
        .filter(route =>
          [route.requires, ...(route.on === 'zone' && route.or ? [route.or] : [])]
            .flatMap(sufficientPermissions)
            .includes(permission),
        )
        .map(labelOf)
      const reachable = await reached(value)
      const found = reachable.filter(label => !isOfItself(label))
      expect(found).toEqual(fitting)
      if (permission.endsWith('Read')) expect(found.filter(label => !label.startsWith('GET '))).toEqual([])
    })
  },
)

/** Whether a route concerns the token itself, so that its handler decides on access. */
const isOfItself = (label: string): boolean =>
  routes.some(route => route.on === 'self' && labelOf(route) === label)

describe('DNS Write', () => {
  const value = 'q'.repeat(40)
  const readable = async () => (await sandbox.api('GET', sandbox.records, { token: value })).status
  const groups = [{ id: permissionGroups.dnsWrite.id }]
  const zoneKey = () => `com.cloudflare.api.account.zone.${own()}`

  it.each([
    ['a zone', () => ({ [zoneKey()]: '*' }), 200],
    ['every zone', () => ({ 'com.cloudflare.api.account.zone.*': '*' }), 200],
    ['its account without a zone', () => ({ [`com.cloudflare.api.account.${account()}`]: '*' }), 403],
    ['another zone', () => ({ [`com.cloudflare.api.account.zone.${someId}`]: '*' }), 403],
  ] as const)('on %s', async (_, resources, status) => {
    putToken(value, [{ effect: 'allow', permission_groups: groups, resources: resources() }])
    expect(await readable()).toBe(status)
  })
})
