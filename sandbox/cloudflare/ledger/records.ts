import { assumed, documented, type Entry, observed } from '../../http/ledger.ts'

const recordsReference = 'API reference, DNS Records for a Zone'
const fromMemory = 'number and wording from memory of an older error list'

/** DNS records and their validation errors. */
export const records = {
  'records.list': documented(
    'Records are listed by page and per_page (default 100, maximum 5,000,000) with counts. A page past the end is empty. Assumed: oldest first.',
    recordsReference,
  ),
  'records.list.name': documented(
    'name and name.exact match whole names in Punycode, ignoring case, and return every type.',
    recordsReference,
  ),
  'records.list.filters': documented(
    'type, content, content.exact and proxied filter a list. content ignores case.',
    recordsReference,
  ),
  'records.list.partial': documented(
    'name and content can be filtered by contains, startswith and endswith, ignoring case.',
    recordsReference,
  ),
  'records.list.comment': documented(
    'Comments can be filtered by exact, contains, startswith, endswith, present and absent.',
    recordsReference,
  ),
  'records.list.tags': documented(
    'Tags can be filtered by name with present and absent, and by name:value with exact, contains, startswith and endswith. A tag filter without a value matches the name alone.',
    recordsReference,
  ),
  'records.list.match': documented(
    'match=any returns records that match any filter; tag_match=any does the same for the tag filters.',
    recordsReference,
  ),
  'records.list.order': documented(
    'order sorts by type, name, content, ttl or proxied; direction is asc or desc. Assumed: asc by default.',
    recordsReference,
  ),
  'records.list.search': assumed(
    'search finds a text in name, content, comment or tags.',
    'the parameter is documented, its behaviour deliberately not',
  ),
  'records.list.choice': assumed(
    'An unsupported value for match, tag_match, order, direction or proxied gets 400 with code 1003.',
    fromMemory,
  ),
  'records.list.shadow': documented(
    'include_shadow_metadata adds to meta what a delegation hides. shadowed_by_name and shadowing_name filter by it.',
    `${recordsReference}, 2026`,
  ),
  'records.list.shadow.name': assumed(
    'A shadow filter with the apex, or shadowed_by_name without the metadata, gets 400 with code 1003.',
    'both are documented as invalid, the response is not',
  ),
  'list.paging.invalid': assumed('A page or per_page out of range gets 400 with code 1003.', fromMemory),
  'records.get': documented('GET returns one record.', recordsReference),
  'records.post': documented(
    'POST creates a record from name, type and content. Assumed: a relative name is completed with the zone.',
    recordsReference,
  ),
  'records.post.ttl': observed(
    'POST without ttl creates a record with an automatic ttl. Only PUT requires one.',
    'libcloud and sewer send none; the types of npm cloudflare 2 to 4 made it optional, to 2025',
  ),
  'records.put.replaces': assumed(
    'PUT replaces the whole record. comment, tags, settings and proxied are reset if the body omits them.',
    'threads of three clients agree (timothymiller PR 219, unifi-ddns 134, dness PR 201); not tried',
  ),
  'records.patch': documented(
    'PATCH changes only the fields it contains, type and content included.',
    recordsReference,
  ),
  'records.delete': documented('DELETE returns the id.', recordsReference),
  'records.batch': documented(
    'A batch runs deletes, patches, puts and posts in this order and returns the records of each.',
    recordsReference,
  ),
  'records.batch.fails': documented(
    'If one operation of a batch fails, nothing changes. Assumed: the pointer of the error names the operation.',
    recordsReference,
  ),
  'records.batch.limit': assumed(
    'A batch of more than 200 operations gets 400 with code 9207.',
    'the limit of a free plan is documented, the response is not',
  ),
  'records.read-only': assumed(
    'Writing to a record with meta.read_only gets 400 with code 0.',
    'such records were seen in DNSControl issue 3850; the response was not',
  ),
  'error.9000': assumed('An invalid DNS name gets code 9000.', fromMemory),
  'error.9004': assumed(
    'A type other than A, AAAA, CAA, CNAME, DS, HTTPS, MX, NS, SRV, SSHFP, TLSA or TXT gets code 9004. The service also has CERT, DNSKEY, LOC, NAPTR, OPENPGPKEY, PTR, SMIMEA, SVCB and URI.',
    `${fromMemory}; the types are those of the API reference`,
  ),
  'error.9005': observed(
    'An A record whose content is not an IPv4 address gets code 9005.',
    'timothymiller issue 230, 2026-03',
  ),
  'error.9006': assumed('An AAAA record whose content is not an IPv6 address gets code 9006.', fromMemory),
  'records.content': observed(
    'Content is formatted from data: of SRV without the priority, of SSHFP in upper case, both with spaces. Assumed: an IPv6 address is stored in canonical form.',
    'terraform-provider-cloudflare, test of SRV, 2026; octodns-cloudflare PR 39, 2023-03; community.general PR 7653, 2023-12',
  ),
  'error.9007': assumed('A CNAME record whose content is not a hostname gets code 9007.', fromMemory),
  'error.9009': observed(
    'An MX record whose content is not a hostname gets code 9009.',
    'pulumi-cloudflare issue 1107, 2025-03',
  ),
  'error.9010': assumed('An NS record whose content is not a hostname gets code 9010.', fromMemory),
  'error.9021': observed(
    'A ttl that is neither 1 nor 60 to 86400 gets code 9021. Assumed: a PUT without ttl too.',
    'reports of 2024-02; required since 2020-01-21',
  ),
  'error.9022': observed(
    'A ttl that is not a number gets code 9022.',
    'K0p1-Git/cloudflare-ddns-updater issue 92, 2024-06',
  ),
  'error.9041': observed('proxied on a type that cannot be proxied gets code 9041.', 'reports of 2017'),
  'error.9100': observed(
    'An MX record without a priority gets code 9100.',
    'cloudflare-php issue 136, 2020-06; pulumi-cloudflare issue 1107, 2025-03',
  ),
  'error.9101': observed(
    'A field that is missing in data gets code 9101 and its name, one error each.',
    '5aaee9/Dnsflare issue 42, 2025-06; octodns-cloudflare PR 39, 2023-03',
  ),
  'error.9207': observed(
    'A body that is not a JSON object gets code 9207.',
    'timothymiller issue 206, 2025-02',
  ),
  'error.9207.field': assumed(
    'A field that is missing, too long or of the wrong type gets code 9207 with a pointer to it.',
    'the code was seen for bodies, the pointer is documented',
  ),
  'error.81044': observed(
    'A record id that does not exist gets 404 with code 81044.',
    'the code in zanjie1999 issue 5; the status in fixtures of 2022 only',
  ),
  'error.81053': observed(
    'A CNAME at a name that has an A, AAAA or CNAME gets code 81053.',
    'bearblog issue 105, 2021-09; manage.get.gov pull request 4946, 2026-04',
  ),
  'error.81054': observed(
    'An A or AAAA at a name that has a CNAME gets code 81054.',
    'terraform-provider-cloudflare issue 6482, 2025-11',
  ),
  'error.81055': assumed(
    'An NS below the apex at a name that has other records than NS and DS gets code 81055.',
    'the code was seen for conflicts; the reverse of 81056, the wording is made up',
  ),
  'error.81056': observed(
    'A record other than NS and DS at a name below the apex that has NS gets code 81056.',
    'acme-dns issue 258, 2021-02',
  ),
  'error.81057': observed(
    'A duplicate of name, type and content gets code 81057 if `duplicateCode` in the state says so.',
    'reports to 2024-06',
  ),
  'error.81058': observed(
    'A duplicate of name, type and content gets code 81058.',
    'ddns-go issue 1378, 2025-02',
  ),
} as const satisfies Readonly<Record<string, Entry>>
