import { expect, it } from 'vitest'
import { explainErrors, scopeOf } from '../../../action/records/problems.ts'

const zoneId = 'f'.repeat(32)
const attempts = {
  read: { what: 'list the records of home.example.com', zoneId, writes: false },
  write: { what: 'update home.example.com', zoneId, writes: true },
}

/** Each refusal, the reason that it is reported with, and the requests that would fail alike. */
it.each([
  ['read', 401, 10000, 'Authentication error', 'token-rejected', 'service'],
  ['read', 403, 10000, 'Authentication error', 'token-rejected', 'zone'],
  ['read', 403, 9109, 'Invalid access token', 'token-rejected', 'service'],
  ['read', 403, 9109, 'Unauthorized to access requested resource', 'token-rejected', 'zone'],
  ['read', 400, 9106, 'Authentication failed (status: 400)', 'token-rejected', 'zone'],
  ['read', 400, 6003, 'Invalid request headers', 'token-rejected', 'service'],
  ['read', 403, 1038, 'You cannot use this API for domains with a free TLD', 'token-rejected', 'zone'],
  ['read', 400, 7003, 'Could not route to /client/v4/zones/x', 'zone-not-found', 'zone'],
  ['write', 400, 9005, 'Content for A record must be a valid IPv4 address.', 'write-rejected', 'request'],
  ['write', 400, 81058, 'An identical record already exists.', 'write-rejected', 'request'],
  ['write', 400, 81053, 'A record with that host already exists.', 'record-conflict', 'request'],
  ['write', 404, 81044, 'Record does not exist.', 'record-missing', 'request'],
  // The code and the status tell it each by itself.
  ['write', 400, 81044, 'Record does not exist.', 'record-missing', 'request'],
] as const)(
  'a %s that is refused with %i, code %i "%s" fails with %s, as does every other of the %s',
  (...row) => {
    const [attempt, status, code, message, reason, scope] = row
    const problem = explainErrors(status, [{ code, message }], attempts[attempt])
    expect(problem).toMatchObject({ reason, message: expect.stringContaining(`code ${code} "${message}"`) })
    expect(scopeOf(status, [{ code, message }])).toBe(scope)
  },
)

it('a refused lookup names the zone while only its name is known', () => {
  const lookUp = { what: 'find zone example.com', zoneId: null, zoneName: 'example.com', writes: false }
  const { message } = explainErrors(404, [{ code: 7003, message: 'Could not route' }], lookUp)
  expect(message).toContain('Cloudflare has no zone example.com.')
})
