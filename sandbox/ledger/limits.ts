import { documented, type Entry, observed } from './entry.ts'

const limitsPage = 'documentation, API rate limits'

/** Rate limits. */
export const limits = {
  'limits.headers': documented(
    'Every answer says in Ratelimit and Ratelimit-Policy what is left and of what. The names of the policies are made up.',
    `${limitsPage}, since 2025-09`,
  ),
  'limits.owner': documented(
    'Behind 1200 requests in 5 minutes with the tokens of one owner everything is refused with 429 for 5 minutes; retry-after, in whole seconds, is there only then. That the 5 minutes begin with the first request is assumed.',
    limitsPage,
  ),
  'limits.address': documented(
    'Behind 200 requests in a second from one address there is 429. That it lasts until the second is over is assumed.',
    limitsPage,
  ),
  'limits.code': observed(
    "The code of a 429 is 10100, with this message. Today's is not known.",
    'cloud-inquisitor issue 153, 2018-05',
  ),
} as const satisfies Readonly<Record<string, Entry>>
