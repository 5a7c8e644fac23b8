import { expect, it } from 'vitest'
import { sessionCookie, transactionCookie } from '../../src/http/cookies.ts'
import { fc, runs } from '../support/random.ts'
import { startInProcess, unusedStore } from './support/in-process.ts'

const pieces = [
  ...['code', 'state', 'error', 'iss', 'error_description', 'access_denied', 'AADSTS70008: x'],
  ...['', '=', '&', '%', '%00', '%zz', '\u0000', '\r\nset-cookie: a=b', '\u202e', '\ud800', '<script>'],
  ...["' OR 1=1 --", '../', '{"a":1}', '[]', 'A'.repeat(5000), '.', 'k1.', 'k1.AAAA', '1e999', '__proto__'],
]
const piece = fc.constantFrom(...pieces)
const name = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('code', 'state', 'error', 'iss') }, piece)
const refusal = fc.constant(['error', 'access_denied', false] as const)
const parameter = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(name, piece, fc.boolean()) },
  { weight: 1, arbitrary: refusal },
)

/** Returns cookies that are damaged, random, repeated or missing; in a third of them, those of a started sign-in. */
function cookies(value: string) {
  const damaged = fc.nat(value.length).map(at => `${value.slice(0, at)}_${value.slice(at + 1)}`)
  const pair = fc
    .tuple(fc.constantFrom(transactionCookie, sessionCookie), fc.oneof(damaged, piece))
    .map(([cookie, text]) => `${cookie}=${text}`.replace(/[^\x20-\x7e]/g, ''))
  const own = fc.constant(`${transactionCookie}=${value}`)
  const headers = [own, own, pair, pair, pair.map(text => `${text}; ${text}`), fc.constant('')]
  return fc.oneof(...headers)
}

it('malformed callbacks give no session and no crash', async () => {
  const app = startInProcess({}, unusedStore, () => Promise.reject(new Error('The provider was asked.')))
  const { cookie, callback } = await app.start()
  const state = new URL(callback, 'https://people.example.com').searchParams.get('state') ?? ''
  const codes = new Map<string, number>()
  let sent = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(parameter, { maxLength: 4 }),
      fc.boolean(),
      cookies(cookie.slice(transactionCookie.length + 1)),
      async (parameters, hasState, sentCookie) => {
        const query = [
          ...parameters.map(([key, value, isRaw]) =>
            [key, isRaw || !value.isWellFormed() ? value : encodeURIComponent(value)].join('='),
          ),
          ...(hasState ? [`state=${state}`] : []),
        ].join('&')
        const answer = await app.call(
          `/api/auth/callback?${query.replace(/[^\x21-\x7e]|#/g, '%20')}`,
          sentCookie,
        )
        const { code, correlationId } = (await answer.json()) as Record<string, string>
        sent += 1
        codes.set(code ?? '', (codes.get(code ?? '') ?? 0) + 1)
        expect(answer.headers.get('x-correlation-id')).toBe(correlationId)
        expect(answer.headers.getSetCookie().join()).not.toMatch(/session=[^;]/)
        expect([undefined, 'unexpected']).not.toContain(code)
      },
    ),
    { numRuns: runs(1000) },
  )
  expect(codes.get('transaction-missing')).toBeGreaterThan(sent / 10)
  // These got as far as the provider, by its error or by a code.
  for (const code of ['state-mismatch', 'provider-error', 'sign-in-refused'])
    expect(codes.get(code), code).toBeGreaterThan(sent / 1000)
})
