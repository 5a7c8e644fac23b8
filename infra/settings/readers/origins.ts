import type { FullReading, Reading } from '../../../lib/reading.ts'
import { refuse } from '../../../lib/settings/readers.ts'
import { parseUrl } from '../../../lib/url.ts'
import { defaultRedirectPath, readRedirectUri, redirectUriOf } from '../../../src/settings/redirect-uri.ts'
import type { Earlier, Origins } from './earlier.ts'
import { someOf } from './lists.ts'
import { parseHostname } from './records.ts'

/**
 * Parses the https origin of the handler or the endpoint. A Worker's custom domain has no port.
 * @param example for messages
 */
function parseOrigin(text: string, isWorker: boolean, example: string): Reading<URL> {
  const url = parseUrl(text)
  if (url?.protocol !== 'https:') return { problem: `is not an https origin. Use one such as ${example}` }
  if (url.origin !== text)
    return {
      problem: `is not an origin as browsers spell it: lower case, no path, no final slash. Use ${url.origin}`,
    }
  if (isWorker && url.port !== '')
    return { problem: 'has a port, but a custom domain is served on 443. Remove the port' }
  return 'value' in parseHostname(url.hostname)
    ? { value: url }
    : { problem: `has a host that cannot be in a zone. Use one such as ${example}` }
}

/** As many as the handler takes. */
const max = 20

/** The example in messages. Replaces missing or refused origins, so that the settings that depend on them are still checked. */
export const exampleOrigins: Origins = [new URL('https://people.example.com')]

/** Reads the origins of the handler: one for a Worker, which is not a dynamic hostname, and several for a host. */
export function readPublicOrigins(text: string, { signIn, hostname = [] }: Earlier): FullReading<Origins> {
  const isWorker = signIn === 'worker'
  const parse = (one: string) => parseOrigin(one, isWorker, exampleOrigins[0].origin)
  const reading = someOf(parse, { max, keyOf: url => url.hostname })(text)
  if ('problems' in reading || !isWorker) return reading
  const [{ hostname: host }, ...others] = reading.value
  if (others.length > 0)
    return refuse(`has ${reading.value.length} origins, and a Worker has one. Keep one of them.`)
  return hostname.includes(host)
    ? refuse(
        `has the host ${host}, which is the dynamic hostname. A custom domain refuses a name that has a record. Use another host.`,
      )
    : reading
}

/** Reads the path of the redirect URIs, by the handler's rule. The default is below the base path. */
export function readRedirectPath(
  text: string,
  { publicOrigin = exampleOrigins, basePath }: Earlier,
): FullReading<string> {
  const path = text || basePath + defaultRedirectPath
  if (!path.startsWith('/')) return refuse('has no slash at its start. Add it.')
  // The longest one, since only the origins differ.
  const longest = publicOrigin
    .map(({ origin }) => redirectUriOf(origin, path))
    .reduce((one, other) => (other.length > one.length ? other : one))
  const reading = readRedirectUri(longest, basePath)
  return 'problems' in reading ? reading : { value: path }
}

/** Reads the origin of the push endpoint, whose host nothing else has. */
export function readPushOrigin(text: string, { hostname = [], publicOrigin }: Earlier): FullReading<URL> {
  const reading = parseOrigin(text, true, 'https://push.example.com')
  if ('problem' in reading) return refuse(`${reading.problem}.`)
  const host = reading.value.hostname
  const owner = hostname.includes(host)
    ? 'is a hostname of the records'
    : publicOrigin?.some(origin => origin.hostname === host)
      ? 'is that of publicOrigin'
      : null
  return owner === null
    ? reading
    : refuse(`has the host ${host}, which ${owner}. A custom domain has a host of its own. Use another one.`)
}
