import { expect, it } from 'vitest'
import { explainCertificate } from '../../lib/certificate.ts'

it.each([
  ['CERT_HAS_EXPIRED', /^its certificate has expired by the clock/, /^The clock says 2026-11-29 08:30 UTC\./],
  ['CERT_NOT_YET_VALID', /^its certificate is not valid yet by the clock/, /NTP/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /is for another name/, /captive portal/],
  ['HOSTNAME_MISMATCH', /is for another name/, /captive portal/],
  ['CERT_UNTRUSTED', /from an authority/, /NODE_EXTRA_CA_CERTS/],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    /without an intermediate .* authority/,
    /^If .*fullchain\.pem.*NODE_EXTRA_CA_CERTS/,
  ],
  ['SELF_SIGNED_CERT_IN_CHAIN', /from an authority/, /NODE_EXTRA_CA_CERTS/],
])('a certificate is explained: %s', (code, detail, fix) => {
  expect(explainCertificate(code, new Date('2026-11-29T08:30:00Z'))).toEqual({
    detail: expect.stringMatching(detail),
    fix: expect.stringMatching(fix),
  })
})

it('an error of a connection is none of a certificate', () => {
  expect(explainCertificate('ECONNRESET')).toBeNull()
})
