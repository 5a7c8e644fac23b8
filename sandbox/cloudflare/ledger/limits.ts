import { documented, type Entry, observed } from '../../http/ledger.ts'

const limitsPage = 'documentation, API rate limits'

/** Rate limits. */
export const limits = {
  'limits.headers': documented`Every response reports the remaining quota in Ratelimit and the limits in Ratelimit-Policy. The policy names are made up. [${limitsPage}, since 2025-09]`,
  'limits.owner': documented`After 1200 requests in 5 minutes with the tokens of one owner, every request gets 429 for 5 minutes. Only these responses carry retry-after, in whole seconds. Assumed: the 5 minutes start with the first request. [${limitsPage}]`,
  'limits.address': documented`After 200 requests from one address within a second, further ones get 429. Assumed: until that second ends. [${limitsPage}]`,
  'limits.code': observed`A 429 has code 10100 and this message. Today's code is unknown. [cloud-inquisitor issue 153, 2018-05]`,
} as const satisfies Readonly<Record<string, Entry>>
