import { describe, expect, it } from 'vitest'
import { fieldDifferences } from '../../infra/drift/difference.ts'
import { findIn, isSecret, ofType, parseState } from '../../infra/exported-state.ts'
import { pushNames, types } from '../../infra/resource-names.ts'
import { namesOf } from '../../infra/stack-view.ts'
import { encrypted, exported, resourcesWith } from './support/exported.ts'

const ids = {
  recordId: '0'.repeat(32),
  dnsTokenId: '1'.repeat(32),
  databaseId: 'database',
  clientId: 'client',
  tenantId: 'tenant',
}
const old = { type: types.userToken, name: 'dns-token', id: 'replaced', delete: true }

describe('the state of a stack', () => {
  it('has the ids of what the stack created, also without outputs', () => {
    const state = parseState(exported([old, ...resourcesWith(ids)]))
    expect(ofType(state, types.userToken).map(({ id, toDelete }) => [id, toDelete])).toEqual([
      ['replaced', true],
      [ids.dnsTokenId, false],
    ])
    expect(findIn(state, types.record)).toMatchObject({ name: 'dns-record', protect: true })
    expect(isSecret(findIn(state, types.userToken)?.outputs['value'])).toBe(true)
    expect(isSecret({ ciphertext: 'x' })).toBe(false)
  })

  it('has the names of Workers, which they keep when the stack is renamed, and its tokens may', () => {
    const named = (type: string, name: string, inputs: object) => ({ type, name, id: 'x', inputs })
    const state = parseState(
      exported([
        named(types.script, 'handler-worker', { scriptName: 'homeport-dev' }),
        named(types.accountToken, 'dns-token', { name: 'homeport-dev' }),
        named(types.script, pushNames.script, { scriptName: 'homeport-dev-push' }),
        named(types.accountToken, pushNames.token, { name: 'homeport-prod-push' }),
      ]),
    )
    expect(namesOf('prod', state)).toEqual({
      serviceName: 'homeport-dev',
      tokenNames: ['homeport-prod', 'homeport-dev'],
      push: { serviceName: 'homeport-dev-push', tokenNames: ['homeport-prod-push'] },
    })
  })

  it('is not compared where it is encrypted', () => {
    const fields = [
      ['name', 'live.example.com', encrypted],
      ['ttl', 300, 120],
    ] as const
    expect(fieldDifferences('The record', fields).map(({ text }) => text)).toEqual([
      'The record has ttl = 300 instead of 120.',
    ])
  })

  it.each([3, 4])('is empty before the first run, in version %i of the CLI’s format', version => {
    const { resources, pending } = parseState(JSON.stringify({ version, deployment: { manifest: {} } }))
    expect({ resources, pending }).toEqual({ resources: [], pending: [] })
  })

  it.each([
    ['no JSON', `{"${encrypted.ciphertext}`, /something other than a JSON object/],
    ['another version', JSON.stringify({ version: 2, deployment: {} }), /has another version than 3 or 4/],
    ['no deployment', JSON.stringify({ version: 3, deployment: null }), /has no deployment/],
    ['resources that are no list', exported([], { resources: {} }), /other than a list in resources/],
    ['a resource without a URN', exported([], { resources: [{}] }), /without a URN or a type/],
  ])('is refused with %s, and nothing is quoted', (_, text, message) => {
    expect(() => parseState(text)).toThrow(message)
    expect(() => parseState(text)).not.toThrow(/hidden/)
  })
})
