import { afterEach, describe, expect, it } from 'vitest'
import { stateOf } from '../../sandbox/testing/state.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()
const someId = 'd'.repeat(32)

const tokens = () => stateOf(sandbox.control).tokens

/** Lists records, and returns the response as `status code chained-code`. */
async function answerTo(call: Parameters<typeof sandbox.api>[2]): Promise<string> {
  const { status, body } = await sandbox.api('GET', sandbox.records, call)
  const codes = body.errors.flatMap(({ code, error_chain = [] }) => [
    code,
    ...error_chain.map(one => one.code),
  ])
  return [status, ...codes].join(' ')
}

it.each([
  ['a request without a credential', { token: null }, '400 9106'],
  ['a malformed token', { token: 'short' }, '400 6003 6111'],
  ['another scheme', { token: null, headers: { authorization: 'Basic dTpw' } }, '400 6003 6111'],
  ['an unknown token', { token: 'a'.repeat(40) }, '403 9109'],
])('%s is refused', async (_, call, answer) => {
  expect(await answerTo(call)).toBe(answer)
})

describe('a token that is not usable', () => {
  afterEach(() => sandbox.control.setClock({ now: new Date().toISOString() }))

  it.each([
    ['disabled', { status: 'disabled' }],
    ['expired by its date', { expiresOn: '2020-01-01T00:00:00Z' }],
  ])('is treated as unknown: %s', async (_, change) => {
    const [admin, dns] = tokens()
    const value = `cfut_${'A'.repeat(40)}00000000`
    sandbox.control.setState({ tokens: [admin, dns, { ...dns, id: 'x', value, ...change }] })
    expect(await answerTo({ token: value })).toBe('403 9109')
  })

  it('expires when the clock reaches expires_on', async () => {
    const [admin, dns] = tokens()
    const value = `cfut_${'B'.repeat(40)}00000000`
    const expiresOn = new Date(Date.now() + 3_600_000).toISOString()
    sandbox.control.setState({ tokens: [admin, dns, { ...dns, id: 'y', value, expiresOn }] })
    expect((await sandbox.api('GET', sandbox.records, { token: value })).status).toBe(200)
    // A minute more, because the clock is set some time before a busy machine reads it.
    sandbox.control.setClock({ advanceMs: 3_660_000 })
    expect((await sandbox.api('GET', sandbox.records, { token: value })).status).toBe(403)
  })
})

describe('a path', () => {
  it.each([
    ['a zone name instead of its id', 'GET', '/zones/example.com/dns_records', 400],
    ['a malformed record id', 'GET', 'RECORDS/home', 400],
    ['a malformed account id', 'GET', '/accounts/name/tokens', 404],
    ['an unknown zone', 'GET', `/zones/${someId}/dns_records`, 404],
    ['an unknown route', 'GET', '/zones/ZONE/settings', 404],
    ['a name that every object has', 'GET', '/constructor/x/y', 404],
  ])('with %s gets 7003 and 7000', async (_, method, path, status) => {
    const { zoneId } = sandbox.at.cloudflare
    const answer = await sandbox.api(method, path.replace('RECORDS', sandbox.records).replace('ZONE', zoneId))
    expect(answer.status).toBe(status)
    expect(answer.body.errors.map(({ code }) => code)).toEqual([7003, 7000])
  })
})
