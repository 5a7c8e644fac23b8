import { cloudflareUrl } from '../../lib/cloudflare.ts'
import { quote } from '../../lib/quote.ts'
import type { FullReading } from '../../lib/reading.ts'
import { refuse } from '../../lib/settings/readers.ts'
import { hasCredentials, parseProxy, parseSafeUrl } from '../../lib/url.ts'
import { tokenLink } from '../records/record.ts'

/** Tokens and the URLs of monitors are far shorter. Masking something longer takes seconds, and it is another thing. */
export const maxSecretBytes = 8 * 1024

/** Reads a token. A problem does not repeat it. */
export function readToken(token: string): FullReading<string> {
  if (token.length > maxSecretBytes)
    return refuse(`has ${token.length} characters. No token is that long. Paste only the token.`)
  if (/^["'`].*["'`]$/s.test(token)) return refuse('is in quotes. Store the token without them.')
  if (/^bearer\s/i.test(token)) return refuse('starts with "Bearer". Paste only the token.')
  if (token.startsWith('cfk_') || /^[0-9a-f]{37}$/i.test(token))
    return refuse(
      'is a global API key, which can change everything in the account. To create a token that can only ' +
        `edit DNS, open ${tokenLink} and select this zone only.`,
    )
  if (!/^[\x21-\x7e]+$/.test(token))
    return refuse(
      'contains white space or characters that tokens never contain. Paste it again, on one line.',
    )
  return { value: token }
}

/** Reads `api-token`, or says how to give it. Without a hint, another problem says why it is missing. */
export function readGivenToken(
  text: string,
  { tokenHint }: { readonly tokenHint: string | null },
): FullReading<string> {
  return text === '' ? { problems: tokenHint === null ? [] : [`is missing. ${tokenHint}`] } : readToken(text)
}

/** Reads `base-url` as the root of the API, without a slash at the end. */
export function readBaseUrl(text: string): FullReading<string> {
  const url = parseSafeUrl(text)
  if (!url)
    return refuse(
      `is ${quote(text)}. Use an https URL (http only on loopback), because the token is sent there.`,
    )
  if (hasCredentials(url)) return refuse('contains a user name or password. Remove them.')
  if (/^(\/client\/v4)?\/?$/.test(url.pathname) && url.search === '' && url.hash === '')
    return { value: url.origin }
  return refuse(
    `is ${quote(text)}. Use the root of the API, such as ${cloudflareUrl}. Homeport adds the path.`,
  )
}

/** Returns what is wrong with proxy variables that the HTTP client would ignore, or would mistake for an HTTP proxy. */
export function proxyProblems(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].flatMap(name => {
    const value = env[name]
    if (!value || parseProxy(value) !== null) return []
    const fix = 'so requests could bypass it. Write it as http://host:port.'
    return [`${name} is not the URL of an HTTP proxy, ${fix}`]
  })
}
