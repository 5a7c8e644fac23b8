import { assumed, type Entry, observed } from '../../http/ledger.ts'

const fromMemory = 'number and wording from memory of an older error list'

/** Requests and responses of the API, whatever the resource. */
export const transport = {
  envelope: observed`The fields of a response come in the order success, errors, messages, result. [responses of the gateway, 2026]`,
  headers: observed`Every response has api-version, cf-cache-status and vary. [recordings of dns-lexicon, 2025-08]`,
  'errors.chained': observed`Record errors can come nested in the error_chain of a 1004 instead of directly. \`errorForm\` in the state chooses. [reports of 2017 to 2019 and 2024-02; direct in reports of 2020 to 2026]`,
  'request.content-type': observed`A request with a Content-Type other than JSON or multipart gets 400 with code 6003 and the reason in its chain. Assumed: code 6105 in the chain. [ddclient issue 72, 2019]`,
  'request.oversized': assumed`A request with a body over 1 MiB, or over 16 MiB for an upload of code, gets 413. [no limit is published]`,
  'request.method': assumed`A request with a method that the sandbox does not have for a path gets 405 with code 10405, and a message that says so. [${fromMemory}; the message is our own]`,
  'route.unknown': assumed`A request for a path that the sandbox does not have gets 404 with codes 7003 and 7000, and a message that says so. [the codes are those of a malformed id; the message is our own]`,
  'route.not-emulated': assumed`Where Cloudflare has a route that the sandbox does not have, the message names the part of the API. [the types of npm cloudflare 7.3.0 name the parts; status and codes are as for unknown paths]`,
  'route.malformed-id': observed`A request with an id that is not 32 hexadecimal digits gets 400 with codes 7003 and 7000. [reports of 2017 to 2019; timothymiller/cloudflare-ddns issue 152]`,
  'route.malformed-id.account': observed`On account routes, a request with a malformed id gets 404 with codes 7003 and 7000. [reports of 2026-09]`,
  'route.unknown-account': assumed`With a token for all accounts, a request for an account that does not exist gets 404 with codes 7003 and 7000. [as for malformed ids]`,
  'route.unknown-zone': assumed`With a token for all zones, a request for a zone that does not exist gets 404 with codes 7003 and 7000. [account routes returned 404 with 7003, 2026-09]`,
  'reads.stale': assumed`With a \`stale\` fault, GET returns the state before a write for a set time. [the delay between a write and a read is unknown]`,
} as const satisfies Readonly<Record<string, Entry>>
