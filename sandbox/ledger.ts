/**
 * Where the knowledge of a behaviour is from: `documented` by the service or a standard, `observed` by others at the
 * real service, `tried` by this project on loopback, `assumed` because nobody said.
 */
export type Source = 'documented' | 'observed' | 'tried' | 'assumed'

type Entry = { readonly what: string; readonly source: Source; readonly where: string }

const documented = (what: string, where: string): Entry => ({ what, source: 'documented', where })
const observed = (what: string, where: string): Entry => ({ what, source: 'observed', where })
const assumed = (what: string, where: string): Entry => ({ what, source: 'assumed', where })

const recordsReference = 'API reference, DNS Records for a Zone'
const tokenProbe = 'live probe of favonia/cloudflare-ddns, 2026-06-30'
const fromMemory = 'number and wording from memory of an older error list'

/** Every behaviour that an answer can rest on. The journal names, for each request, those that it used. */
export const ledger = {
  // The API's transport
  envelope: observed(
    'The fields stand in the order success, errors, messages, result.',
    'answers of the gateway, 2026',
  ),
  'errors.chained': observed(
    'Errors of a record can come in the chain of a 1004 instead of by themselves; control chooses.',
    'reports of 2017 to 2019 and 2024-02; flat in reports of 2020 to 2026',
  ),
  'request.content-type': observed(
    'A Content-Type that is neither JSON nor multipart is refused: 400, 6003 with the reason in its chain. The 6105 in the chain is assumed.',
    'ddclient issue 72, 2019',
  ),
  'request.oversized': assumed('A body over 1 MiB is refused with 413.', 'no limit is published'),
  'request.method': assumed(
    'A method that a path does not have is refused with 405, code 10405.',
    fromMemory,
  ),
  'route.unknown': assumed(
    'A path that leads nowhere is refused with 404, 7003 and 7000.',
    'the codes are those of a malformed identifier',
  ),
  'route.malformed-id': observed(
    'An identifier that is not 32 hexadecimal digits is refused with 400, 7003 and 7000.',
    'reports of 2017 to 2019; timothymiller/cloudflare-ddns issue 152',
  ),
  'route.unknown-zone': assumed(
    'A well-formed zone id that does not exist is refused with 404, 7003 and 7000, when the token reaches all zones.',
    '404 is what account routes gave with 7003, 2026-09',
  ),

  // Credentials
  'credential.missing': assumed(
    'A request without credentials is refused with 400, 9106.',
    'the message was seen, status and code were not',
  ),
  'credential.missing.verify': observed(
    'The verify route wants the Authorization header by name: 1001. The status 400 is assumed.',
    'reports on token verification with keys',
  ),
  'credential.key': observed(
    'An API key, or a token in its place, is refused with 400, 6003 and 6103 in its chain. That it is refused even beside a token is assumed.',
    'reports on X-Auth-Key',
  ),
  'credential.malformed': observed(
    'A value that has no token format is refused with 400, 6003 and 6111 in its chain.',
    tokenProbe,
  ),
  'credential.unknown': observed('An unknown token is refused on zone routes with 403, 9109.', tokenProbe),
  'credential.unknown.verify': assumed(
    'An unknown token is refused on the verify route with 401, 1000.',
    fromMemory,
  ),
  'credential.unknown.other': observed(
    'An unknown token is refused outside zone routes with 401, 10000.',
    `${tokenProbe}, on account lists`,
  ),
  'credential.unusable': assumed(
    'A token that is disabled, revoked, expired or not yet valid is refused as if it were unknown.',
    'no report tells them apart',
  ),
  'scope.records': observed(
    "A zone outside the token's scope, or a permission it lacks, is refused on records with 403, 10000.",
    'terraform-provider-cloudflare issue 913',
  ),
  'scope.zones': observed(
    'A zone cannot be read without Zone Read: 403, 9109.',
    'octodns-cloudflare issue 60',
  ),
  'tokens.verify': observed(
    'A usable token gets its id and status, and a message 10000.',
    'reports of 2026-05',
  ),

  // Zones
  'zones.list': documented(
    'Zones are listed by name and status, 20 a page, their names in their own script. Of a zone only the fields that clients ask for are served.',
    'API reference, Zones; names in cloudflare-go issue 688',
  ),
  'zones.list.scoped': observed(
    'A token without Zone Read on all zones cannot list them without a name: 403, code 0.',
    'NewFuture/DDNS issue 155, 2020',
  ),
  'zones.list.scoped-by-name': assumed(
    'A scoped token that asks for a zone by name gets it.',
    'godns PR 83 and pfsense saw that, ddclient PR 834 saw 403',
  ),
  'zones.get': documented('A zone is read by its id.', 'API reference, Zones'),

  // Records
  'records.list': documented(
    'Records are listed with page and per_page (100, up to 5,000,000) and counts; a page past the end is empty. That the oldest come first is assumed.',
    recordsReference,
  ),
  'records.list.name': documented(
    'name and name.exact compare whole names, whatever their case, in Punycode, and give every type.',
    recordsReference,
  ),
  'records.list.filters': documented('type, content and content.exact narrow a listing.', recordsReference),
  'list.paging.invalid': assumed('A page or per_page out of bounds is refused with 400, 1003.', fromMemory),
  'records.get': documented('A record is read by its id.', recordsReference),
  'records.post': documented(
    'A record is created from name, type, content and ttl; a relative name is completed by the zone, which is assumed.',
    recordsReference,
  ),
  'records.put.replaces': assumed(
    'PUT replaces the record: comment, tags, settings and proxied that the body leaves out are gone.',
    'threads of three clients agree (timothymiller PR 219, unifi-ddns 134, dness PR 201); not tried',
  ),
  'records.patch': documented(
    'PATCH changes the fields that were sent, type and content too.',
    recordsReference,
  ),
  'records.delete': documented('DELETE answers with the id.', recordsReference),
  'records.read-only': assumed(
    'A record whose meta says read_only refuses every write with 400, code 0.',
    'that such records exist was seen in DNSControl issue 3850; the refusal was not',
  ),

  // Errors of records
  'error.9000': assumed('A name that is no DNS name: 9000.', fromMemory),
  'error.9004': assumed('A type that is not one of A, AAAA, CNAME, NS, TXT: 9004.', fromMemory),
  'error.9005': observed(
    'An A record whose content is no IPv4 address: 9005.',
    'timothymiller issue 230, 2026-03',
  ),
  'error.9006': assumed('An AAAA record whose content is no IPv6 address: 9006.', fromMemory),
  'error.9007': assumed('A CNAME record whose content is no host: 9007.', fromMemory),
  'error.9010': assumed('An NS record whose content is no host: 9010.', fromMemory),
  'error.9021': observed(
    'A ttl that is neither 1 nor in 60 to 86400: 9021. That a missing one gets the same is assumed.',
    'reports of 2024-02; required since 2020-01-21',
  ),
  'error.9022': observed(
    'A ttl that is no number: 9022.',
    'K0p1-Git/cloudflare-ddns-updater issue 92, 2024-06',
  ),
  'error.9041': observed('A record of a type that cannot be proxied: 9041.', 'reports of 2017'),
  'error.9207': observed('A body that is no JSON object: 9207.', 'timothymiller issue 206, 2025-02'),
  'error.9207.field': assumed(
    'A field that is missing, of the wrong type or too long: 9207 with a pointer to it.',
    'the code was seen for bodies, the pointer is documented',
  ),
  'error.81044': observed(
    'A record id that does not exist: 81044, with 404.',
    'the code in zanjie1999 issue 5; the status in fixtures of 2022 only',
  ),
  'error.81053': observed('A CNAME beside an A, AAAA or CNAME: 81053.', 'client reports'),
  'error.81054': observed(
    'An A or AAAA beside a CNAME: 81054.',
    'terraform-provider-cloudflare issue 6482, 2025-11',
  ),
  'error.81058': observed(
    'A record of the same name, type and content as another: 81058.',
    'ddns-go issue 1378, 2025-02',
  ),

  // The name server
  'dns.answer': documented(
    'Records of the asked name and type are answered with authority and their ttl.',
    'RFC 1035',
  ),
  'dns.cname': documented('An alias is answered and followed inside its zone.', 'RFC 1034 section 3.6.2'),
  'dns.wildcard': documented('A wildcard answers for names that do not exist.', 'RFC 4592'),
  'dns.negative': documented('Absence is NXDOMAIN or no data, with the SOA.', 'RFC 2308'),
  'dns.referral': documented(
    'A name below an NS record is referred to its servers.',
    'RFC 1034 section 4.3.2',
  ),
  'dns.refused': documented(
    'What is not of the zones served here, and every transfer, is REFUSED.',
    'RFC 1035 section 4.1.1; RFC 5936 for transfers',
  ),
  'dns.edns': documented('An OPT record is answered with one; versions above 0 get BADVERS.', 'RFC 6891'),
  'dns.truncated': documented('An answer too long for UDP is sent empty with TC.', 'RFC 2181 section 9'),
  'dns.ttl-automatic': documented('A ttl of 1 is served as 300.', recordsReference),
  'dns.proxied': assumed(
    'A proxied name answers 198.51.100.1 and 2001:db8::1 instead of its content.',
    'the real ones are anycast addresses of the service',
  ),

  // The echoes
  'echo.address': observed(
    'A GET of the root is answered with the address, as text on one line.',
    'public echo services',
  ),
} as const satisfies Readonly<Record<string, Entry>>

/** The identifier of a behaviour. */
export type LedgerId = keyof typeof ledger
