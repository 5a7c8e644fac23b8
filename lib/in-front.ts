/**
 * Returns whether a response refuses a request in the name of an API that never saw it: a page of HTML, or a challenge of
 * Cloudflare (`cf-mitigated`, Cloudflare docs, "Detect a challenge page response"). It says nothing of the token.
 */
export function isFromFront(
  status: number,
  header: (name: string) => string | null | undefined,
  body: string,
): boolean {
  return (status === 401 || status === 403) && (/^\s*</.test(body) || Boolean(header('cf-mitigated')))
}

/** What that means, without the last full stop. */
export const frontAdvice =
  'Something in front of the API answered, such as a bot protection or a proxy. This says nothing of the token'
