import { describe, expect, it } from 'vitest'
import { explainErrors, scopeOf } from '../../../action/records/problems.ts'

const zoneId = 'f'.repeat(32)
const reading = { what: 'list the records of home.example.com', zoneId, writes: false }
const writing = { what: 'update home.example.com', zoneId, writes: true }

function failsOn(attempt: typeof reading) {
  return (status: number, code: number, message: string, reason: string): void => {
    const problem = explainErrors(status, [{ code, message }], attempt)
    expect(problem.reason).toBe(reason)
    expect(problem.message).toContain(`code ${code} "${message}"`)
  }
}

describe('a refused read', () => {
  it.each([
    [401, 10000, 'Authentication error', 'token-rejected'],
    [403, 10000, 'Authentication error', 'token-rejected'],
    [403, 9109, 'Unauthorized to access requested resource', 'token-rejected'],
    [400, 9106, 'Authentication failed (status: 400)', 'token-rejected'],
    [400, 6003, 'Invalid request headers', 'token-rejected'],
    [403, 1038, 'You cannot use this API for domains with a free TLD', 'token-rejected'],
    [400, 7003, 'Could not route to the zone', 'zone-not-found'],
  ])('with %i, code %i "%s" fails with %s', failsOn(reading))

  it('names the zone while only its name is known', () => {
    const lookUp = { what: 'find zone example.com', zoneId: null, zoneName: 'example.com', writes: false }
    const { message } = explainErrors(404, [{ code: 7003, message: 'Could not route' }], lookUp)
    expect(message).toContain('Cloudflare has no zone example.com.')
  })
})

describe('a refused write', () => {
  it.each([
    [400, 9005, 'Content for A record must be a valid IPv4 address.', 'write-rejected'],
    [400, 81058, 'An identical record already exists.', 'write-rejected'],
    [400, 81053, 'An A, AAAA, or CNAME record with that host already exists.', 'record-conflict'],
    [404, 81044, 'Record does not exist.', 'record-missing'],
    // The code and the status tell it each by itself.
    [400, 81044, 'Record does not exist.', 'record-missing'],
    [403, 10000, 'Authentication error', 'token-rejected'],
    [400, 7003, 'Could not route to the record', 'zone-not-found'],
  ])('with %i, code %i "%s" fails with %s', failsOn(writing))
})

describe('a refusal', () => {
  it.each([
    [401, 10000, 'Authentication error', 'service'],
    [400, 6003, 'Invalid request headers', 'service'],
    [403, 9109, 'Invalid access token', 'service'],
    [403, 9109, 'Unauthorized to access requested resource', 'zone'],
    [403, 10000, 'Authentication error', 'zone'],
    [400, 7003, 'Could not route to /client/v4/zones/x', 'zone'],
    [400, 9005, 'Content for A record must be a valid IPv4 address.', 'request'],
    [404, 81044, 'Record does not exist.', 'request'],
  ])(
    'with %i, code %i "%s" is expected for every other request of the %s',
    (status, code, message, scope) => {
      expect(scopeOf(status, [{ code, message }])).toBe(scope)
    },
  )
})
