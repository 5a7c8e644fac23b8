import { documented, type Entry } from '../http/ledger-entry.ts'

/** Certificates, and DNS over HTTPS. */
export const https = {
  'tls.issued': documented(
    "The sandbox's certificate authority issues a certificate on demand for the host in the TLS handshake.",
    'RFC 6066 section 3; RFC 5280',
  ),
  'doh.wire': documented(
    'A wire-format query gets a wire-format answer: GET with `dns`, or POST with application/dns-message.',
    'RFC 8484',
  ),
  'doh.json': documented(
    'GET with `name`, `type` and Accept: application/dns-json gets JSON. A name in another zone gets Status 5.',
    'documentation of 1.1.1.1, DNS over HTTPS with JSON',
  ),
  'doh.refused': documented(
    'A malformed message gets 400, a wrong media type 415, a wrong method 405.',
    'RFC 8484 section 4',
  ),
} as const satisfies Readonly<Record<string, Entry>>
