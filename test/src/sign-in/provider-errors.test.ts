import { describe, expect, it } from 'vitest'
import { numberIn, problemOf } from '../../../src/sign-in/provider-errors.ts'

describe('an error of Entra', () => {
  it.each([
    [
      'sign-in-refused',
      ['access_denied', 'interaction_required', 'login_required', 'account_selection_required'],
    ],
    ['consent-required', ['consent_required']],
    ['sign-in-expired', ['invalid_grant']],
    ['client-credential-rejected', ['invalid_client']],
    ['misconfigured', ['unauthorized_client', 'invalid_request', 'invalid_scope', 'invalid_resource']],
    ['misconfigured', ['unsupported_response_type', 'unsupported_grant_type']],
    ['provider-error', ['server_error', 'something_new', '', 'constructor']],
    ['provider-unavailable', ['temporarily_unavailable']],
  ])('is %s for %j', (code, errors) => {
    for (const error of errors) expect(problemOf(error, null), error).toBe(code)
  })

  it.each([
    ['misconfigured', [50011, 500208, 50194]],
    ['not-assigned', [50105]],
    ['sign-in-refused', [50057, 50074, 50076, 50079, 53000, 53001, 53002, 53003]],
    ['consent-required', [65001, 65004, 90093, 90094, 90095, 900941]],
    ['sign-in-expired', [54005, 70008, 501481]],
    [
      'client-credential-rejected',
      [7000215, 7000222, 50012, 700024, 700027, 70021, 700211, 700212, 700213, 7000272, 90061],
    ],
    ['provider-timeout', [90012]],
    ['provider-error', [700016]],
  ])('is %s for the numbers %j, which count more than the error', (code, numbers) => {
    for (const number of numbers) expect(problemOf('server_error', number), String(number)).toBe(code)
  })

  it('is about the account or the registration even if it comes as a rejected code or credential', () => {
    for (const number of [50053, 50055, 50072, 50131, 50144, 50158, 53004, 53011, 530032, 530035, 530084])
      expect(problemOf('invalid_grant', number), String(number)).toBe('sign-in-refused')
    for (const number of [500121, 50078, 50142])
      expect(problemOf('invalid_grant', number), String(number)).toBe('sign-in-expired')
    expect(problemOf('invalid_client', 700025)).toBe('misconfigured')
    expect(problemOf('invalid_grant', 9002327)).toBe('misconfigured')
  })

  it('has the first number of its description', () => {
    expect(numberIn('AADSTS65001: consent. See AADSTS50011.')).toBe(65001)
    for (const text of ['', 'AADSTS12: short', null]) expect(numberIn(text)).toBeNull()
  })
})
