import { documented, type Entry } from './entry.ts'

/** Certificates, and resolvers over HTTPS. */
export const https = {
  'tls.issued': documented(
    'A certificate for the host of the handshake is issued on demand by the one authority of the sandbox.',
    'RFC 6066 section 3; RFC 5280',
  ),
  'doh.wire': documented(
    'A message in wire format is answered in wire format: GET with dns, POST as application/dns-message.',
    'RFC 8484',
  ),
  'doh.json': documented(
    'GET with name and type, accepting application/dns-json, is answered in JSON; a name of another zone gets status 5.',
    'documentation of 1.1.1.1, DNS over HTTPS with JSON',
  ),
  'doh.refused': documented(
    'A message that is none, a wrong media type or a wrong method: 400, 415, 405.',
    'RFC 8484 section 4',
  ),
} as const satisfies Readonly<Record<string, Entry>>
