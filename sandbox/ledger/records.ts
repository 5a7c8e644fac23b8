import { assumed, documented, type Entry, observed } from './entry.ts'

const recordsReference = 'API reference, DNS Records for a Zone'
const fromMemory = 'number and wording from memory of an older error list'

/** DNS records and what is refused of them. */
export const records = {
  'records.list': documented(
    'Records are listed with page and per_page (100, up to 5,000,000) and counts; a page past the end is empty. That the oldest come first is assumed.',
    recordsReference,
  ),
  'records.list.name': documented(
    'name and name.exact compare whole names, whatever their case, in Punycode, and give every type.',
    recordsReference,
  ),
  'records.list.filters': documented(
    'type, content, content.exact and proxied narrow a listing; content whatever its case.',
    recordsReference,
  ),
  'records.list.partial': documented(
    'name and content can be narrowed by contains, startswith and endswith, whatever their case.',
    recordsReference,
  ),
  'records.list.comment': documented(
    'Comments are found by exact, contains, startswith, endswith, present and absent.',
    recordsReference,
  ),
  'records.list.tags': documented(
    'Tags are found by name with present and absent, by name:value with exact, contains, startswith and endswith; tag without a value asks for the name alone.',
    recordsReference,
  ),
  'records.list.match': documented(
    'match=any joins the filters by or; tag_match=any those of tags among themselves.',
    recordsReference,
  ),
  'records.list.order': documented(
    'order by type, name, content, ttl or proxied, direction asc or desc. That asc is the default is assumed.',
    recordsReference,
  ),
  'records.list.search': assumed(
    'search finds a text in name, content, comment or tags.',
    'the parameter is documented, its behaviour deliberately not',
  ),
  'records.list.choice': assumed(
    'A value that match, tag_match, order, direction or proxied do not have is refused with 400, 1003.',
    fromMemory,
  ),
  'records.list.shadow': documented(
    'include_shadow_metadata says in meta what a delegation hides; shadowed_by_name and shadowing_name narrow by it.',
    `${recordsReference}, 2026`,
  ),
  'records.list.shadow.name': assumed(
    'The apex as a shadow filter, and shadowed_by_name without the metadata, are refused with 400, 1003.',
    'that both are wrong is documented, the refusal is not',
  ),
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
  'records.batch': documented(
    'A batch carries out deletes, patches, puts and posts in that order and answers with the records of each.',
    recordsReference,
  ),
  'records.batch.fails': documented(
    'When one operation of a batch fails, nothing is changed. That the pointer of its error names the operation is assumed.',
    recordsReference,
  ),
  'records.batch.limit': assumed(
    'A batch of more than 200 operations is refused with 400, 9207.',
    'the limit of a free plan is documented, the refusal is not',
  ),
  'records.read-only': assumed(
    'A record whose meta says read_only refuses every write with 400, code 0.',
    'that such records exist was seen in DNSControl issue 3850; the refusal was not',
  ),
  'error.9000': assumed('A name that is no DNS name: 9000.', fromMemory),
  'error.9004': assumed(
    'A type that is not one of A, AAAA, CAA, CNAME, HTTPS, MX, NS, SRV, TXT: 9004.',
    fromMemory,
  ),
  'error.9005': observed(
    'An A record whose content is no IPv4 address: 9005.',
    'timothymiller issue 230, 2026-03',
  ),
  'error.9006': assumed('An AAAA record whose content is no IPv6 address: 9006.', fromMemory),
  'error.9007': assumed('A CNAME record whose content is no host: 9007.', fromMemory),
  'error.9009': observed(
    'An MX record whose content is no host: 9009.',
    'pulumi-cloudflare issue 1107, 2025-03',
  ),
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
  'error.9100': observed(
    'An MX record without a priority: 9100.',
    'cloudflare-php issue 136, 2020-06; pulumi-cloudflare issue 1107, 2025-03',
  ),
  'error.9207': observed('A body that is no JSON object: 9207.', 'timothymiller issue 206, 2025-02'),
  'error.9207.field': assumed(
    'A field that is missing, of the wrong type or too long: 9207 with a pointer to it.',
    'the code was seen for bodies, the pointer is documented',
  ),
  'error.81044': observed(
    'A record id that does not exist: 81044, with 404.',
    'the code in zanjie1999 issue 5; the status in fixtures of 2022 only',
  ),
  'error.81053': observed(
    'A CNAME beside an A, AAAA or CNAME: 81053.',
    'bearblog issue 105, 2021-09; manage.get.gov pull request 4946, 2026-04',
  ),
  'error.81054': observed(
    'An A or AAAA beside a CNAME: 81054.',
    'terraform-provider-cloudflare issue 6482, 2025-11',
  ),
  'error.81057': observed(
    'A record of the same name, type and content as another, in the older form that control can choose: 81057.',
    'reports to 2024-06',
  ),
  'error.81058': observed(
    'A record of the same name, type and content as another: 81058.',
    'ddns-go issue 1378, 2025-02',
  ),
} as const satisfies Readonly<Record<string, Entry>>
