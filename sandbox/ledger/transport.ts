import { assumed, type Entry, observed } from './entry.ts'

const fromMemory = 'number and wording from memory of an older error list'

/** Requests and answers of the API, whatever they are about. */
export const transport = {
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
  'request.oversized': assumed(
    'A body over 1 MiB, or 16 MiB when it carries code, is refused with 413.',
    'no limit is published',
  ),
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
  'route.malformed-id.account': observed(
    'Below accounts a malformed identifier is refused with 404, 7003 and 7000.',
    'reports of 2026-09',
  ),
  'route.unknown-account': assumed(
    'A well-formed account id that does not exist is refused with 404, 7003 and 7000, when the token reaches all accounts.',
    'as for malformed ones',
  ),
  'route.unknown-zone': assumed(
    'A well-formed zone id that does not exist is refused with 404, 7003 and 7000, when the token reaches all zones.',
    '404 is what account routes gave with 7003, 2026-09',
  ),
  'reads.stale': assumed(
    'While control says so, a GET shows what was before a change.',
    'the delay between a write and a read of it is not known',
  ),
} as const satisfies Readonly<Record<string, Entry>>
