import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { permissionGroups } from '../../sandbox/cloudflare/tokens/permission-groups.ts'
import { stateOf } from '../../sandbox/testing/state.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()
const someId = 'd'.repeat(32)

const resources = () => ({ [`com.cloudflare.api.account.zone.${sandbox.at.cloudflare.zoneId}`]: '*' })
const groups = [{ id: permissionGroups.dnsWrite.id }]
const draft = () => ({
  name: 'made here',
  policies: [{ effect: 'allow', permission_groups: groups, resources: resources() }],
})

const anyZone = 'com.cloudflare.api.account.zone.*'
const anyAccount = 'com.cloudflare.api.account.*'
/** A policy that would be accepted, with changes. */
const policy = (changes: object) => ({
  policies: [{ effect: 'allow', permission_groups: groups, resources: { [anyZone]: '*' }, ...changes }],
})

describe('tokens', () => {
  it.each([
    ['an empty name', { name: '' }],
    ['an empty list of policies', { policies: [] }],
    ['an unknown permission group', policy({ permission_groups: [{ id: someId }] })],
    ['a permission group without an id', policy({ permission_groups: [{}] })],
    ['a permission group of another scope', policy({ resources: { [anyAccount]: '*' } })],
    ['an unknown resource', policy({ resources: { zone: '*' } })],
    ['a resource with an invalid value', policy({ resources: { [anyZone]: 'all' } })],
    ['a policy without resources', policy({ resources: {} })],
    ['an unknown effect', policy({ effect: 'maybe', resources: {} })],
    ['an invalid address range', { condition: { request_ip: { in: ['192.0.2.0/33'] } } }],
    ['an invalid date', { expires_on: 'tomorrow' }],
    ['an unknown status', { status: 'tired' }],
    ['a policy with an id', policy({ id: someId })],
  ])('are refused with %s', async (_, fields) => {
    const answer = await sandbox.api('POST', '/user/tokens', { body: { ...draft(), ...fields } })
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ code: 1001 }] } })
  })
})

describe('an account token that creates another', () => {
  const creator = `cfat_${'C'.repeat(40)}00000000`
  const other = `cfat_${'D'.repeat(40)}00000000`
  beforeAll(() => {
    const { accountId } = sandbox.at.cloudflare
    const { tokens } = stateOf(sandbox.control)
    const account = { [`com.cloudflare.api.account.${accountId}`]: '*' }
    const mint = {
      effect: 'allow',
      permission_groups: [{ id: permissionGroups.accountTokensWrite.id }],
      resources: account,
    }
    sandbox.control.setState({
      tokens: [
        ...tokens,
        { value: creator, policies: [mint] },
        { value: other, policies: [mint, ...draft().policies] },
      ],
    })
  })
  const mint = (token: string, fields: object = {}) =>
    sandbox.api('POST', `/accounts/${sandbox.at.cloudflare.accountId}/tokens`, {
      token,
      body: { ...draft(), ...fields },
    })

  it('for one zone must hold the permission itself, and is none of the user', async () => {
    expect(await mint(creator)).toMatchObject({
      status: 400,
      body: { errors: [{ code: 1001, message: expect.stringContaining('"DNS Write"') }] },
    })
    const { status, body } = await mint(other)
    expect(status).toBe(200)
    const ofUser = await sandbox.api('GET', `/user/tokens/${(body.result as { id: string }).id}`)
    expect(ofUser).toMatchObject({ status: 404, body: { errors: [{ code: 1003 }] } })
  })

  it('for all zones need not hold the permission', async () => {
    expect((await mint(creator, policy({}))).status).toBe(200)
  })
})

describe('a token with the address condition', () => {
  const value = 'n'.repeat(40)
  /** Lists records from an address of the loopback network. */
  async function from(localAddress: string) {
    const headers = { authorization: `Bearer ${value}` }
    const url = `${sandbox.at.cloudflare.apiUrl}${sandbox.records}`
    const [response] = (await once(request(url, { localAddress, headers }).end(), 'response')) as [
      IncomingMessage,
    ]
    return { status: response.statusCode, text: await text(response) }
  }
  function putCondition(request_ip: object) {
    const { tokens } = stateOf(sandbox.control)
    const others = tokens.filter(token => token.value !== value)
    const token = { value, policies: draft().policies, condition: { request_ip } }
    sandbox.control.setState({ tokens: [...others, token] })
  }

  it.for<[object, number[]]>([
    [{ in: ['127.0.0.1'] }, [200, 403]],
    [{ in: ['127.0.0.0/8', '192.0.2.0/24'] }, [200, 200]],
    [{ in: ['2001:db8::/32'] }, [403, 403]],
  ])('%j works only from allowed addresses', async ([condition, statuses], { skip }) => {
    skip(process.platform !== 'linux', 'only Linux assigns all of 127.0.0.0/8 to loopback')
    putCondition(condition)
    const answers = [await from('127.0.0.1'), await from('127.0.0.2')]
    expect(answers.map(({ status }) => status)).toEqual(statuses)
    for (const { status, text: said } of answers) {
      if (status === 403)
        expect(said).toMatch(/"code":9109,"message":"Cannot use the access token from location: 127/)
    }
  })
})
