import { expect, it } from 'vitest'
import { pushNames, types } from '../../../infra/resource-names.ts'
import { handedOverField } from '../../../infra/resources/handed-over-field.ts'

const token = (name: string, issuedOn: string) => ({ name, type: types.accountToken, outputs: { issuedOn } })
const secret = (outputs: object) => ({ name: 'repository-token', type: types.environmentSecret, outputs })
const sent = { updatedAt: '2026-11-27 12:00:00 +0000 UTC', value: 'x', plaintextValue: '' }
const before = '2026-11-27T11:59:58Z'
const after = '2026-11-27T12:00:06Z'

it.each([
  ['nothing was handed over yet', [token('dns-token', before)], 'value'],
  ['GitHub has the token', [token('dns-token', before), secret(sent)], 'value'],
  ['GitHub has no time yet', [token('dns-token', after), secret({ ...sent, updatedAt: '' })], 'value'],
  ["the endpoint's token is newer", [token(pushNames.token, after), secret(sent)], 'value'],
  [
    'GitHub refused a rotated token, which the state has nevertheless',
    [token('dns-token', before), token('dns-token-16367aac', after), secret(sent)],
    'plaintextValue',
  ],
  [
    'GitHub refused it again',
    [token('dns-token', after), secret({ ...sent, value: '', plaintextValue: 'x' })],
    'value',
  ],
  [
    'GitHub has it in that other field, so that nothing is planned',
    [token('dns-token', before), secret({ ...sent, value: '', plaintextValue: 'x' })],
    'plaintextValue',
  ],
])(
  'the token is sent in another field than the last only if GitHub has an earlier one: %s',
  (_, state, field) => {
    expect(handedOverField(state)).toBe(field)
  },
)
