import { expect, it } from 'vitest'
import { explainErrors, isTokenRejected } from '../../../action/records/problems.ts'

const zoneId = 'f'.repeat(32)
const attempts = {
  read: { what: 'list the records of home.example.com', zoneId, writes: false },
  write: { what: 'update home.example.com', zoneId, writes: true },
}

/** Each refusal, the reason that it is reported with, and whether every other request would fail alike. */
it.each([
  ['read', 401, 10000, 'Authentication error', 'token-rejected', true],
  ['read', 403, 10000, 'Authentication error', 'token-rejected', false],
  ['read', 403, 9109, 'Invalid access token', 'token-rejected', true],
  ['read', 403, 9109, 'Unauthorized to access requested resource', 'token-rejected', false],
  ['read', 403, 9109, 'Cannot use the access token from location: 198.51.100.9', 'token-rejected', true],
  ['read', 400, 9106, 'Authentication failed (status: 400)', 'token-rejected', false],
  ['read', 400, 6003, 'Invalid request headers', 'token-rejected', true],
  ['write', 403, 1038, 'You cannot use this API for domains with a .tk TLD', 'write-rejected', false],
  ['read', 400, 7003, 'Could not route to /client/v4/zones/x', 'zone-not-found', false],
  ['write', 400, 9005, 'Content for A record must be a valid IPv4 address.', 'write-rejected', false],
  ['write', 400, 81058, 'An identical record already exists.', 'write-rejected', false],
  ['write', 400, 81053, 'A record with that host already exists.', 'record-conflict', false],
  ['write', 404, 81044, 'Record does not exist.', 'record-missing', false],
  // The code and the status tell it each by itself.
  ['write', 400, 81044, 'Record does not exist.', 'record-missing', false],
] as const)(
  'a %s that is refused with %i, code %i "%s" fails with %s; the token itself is rejected: %s',
  (...row) => {
    const [attempt, status, code, message, reason, isRejected] = row
    const problem = explainErrors(status, [{ code, message }], attempts[attempt])
    expect(problem).toMatchObject({ reason, message: expect.stringContaining(`code ${code} "${message}"`) })
    expect(isTokenRejected(status, [{ code, message }])).toBe(isRejected)
  },
)

it('an address filter of the token is named, and a refusal without a code has two causes', () => {
  const filter = { code: 9109, message: 'Cannot use the access token from location: 198.51.100.9' }
  const { message } = explainErrors(403, [filter], attempts.read)
  expect(message).toContain('The token has an IP address filter')
  expect(message).not.toMatch(/Paste it again/)
  expect(explainErrors(403, [], attempts.read).message).toMatch(
    /something in front of the API, .*, or: .*The token is/,
  )
})

it('a token that Cloudflare does not know is no reason to check the zone ID', () => {
  const adviceOn = (message: string) => explainErrors(403, [{ code: 9109, message }], attempts.read).message
  expect(adviceOn('Invalid access token')).toMatch(/"\. The token is wrong, .* Paste it again\. /)
  expect(adviceOn('Unauthorized to access requested resource')).toMatch(/Check the zone ID first: /)
})

it('a refused lookup names the zone while only its name is known', () => {
  const lookUp = { what: 'find zone example.com', zoneId: null, zoneName: 'example.com', writes: false }
  const { message } = explainErrors(404, [{ code: 7003, message: 'Could not route' }], lookUp)
  expect(message).toContain('Cloudflare has no zone example.com.')
})
