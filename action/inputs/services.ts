import { quote } from '../../lib/quote.ts'
import { hasCredentials, parseProxy, parseSafeUrl } from '../../lib/url.ts'
import { type Notify, notifyFormats } from '../notify.ts'
import { tokenLink } from '../records/record.ts'
import { type Environment, maxSecretBytes, type Reader, readChoice } from './reader.ts'
import { type InputName, inputs } from './table.ts'

/** Reads `api-token`. The hint says what to do if it is missing; null if that has been said. */
export function readToken(read: Reader, hint: string | null): string {
  const token = read.text('api-token')
  const addProblem = (message: string) => read.addProblem('api-token', message)
  if (token === '') {
    if (hint !== null) addProblem(`is empty. ${hint}`)
  } else if (token.length > maxSecretBytes) {
    addProblem(`has ${token.length} characters. No token is that long. Paste only the token.`)
  } else if (/^["'`].*["'`]$/s.test(token)) {
    addProblem('is in quotes. Store the token without them.')
  } else if (/^bearer\s/i.test(token)) {
    addProblem('starts with "Bearer". Paste only the token.')
  } else if (token.startsWith('cfk_') || /^[0-9a-f]{37}$/i.test(token)) {
    addProblem(
      'is a global API key, which can change everything in the account. Create a token that can edit ' +
        `DNS with ${tokenLink} (select this zone only there).`,
    )
  } else if (!/^[\x21-\x7e]+$/.test(token)) {
    addProblem('contains white space or characters that tokens never contain. Paste it again, on one line.')
  }
  return token
}

/** Reads `base-url` as the root of the API, without a slash at the end. */
export function readBaseUrl(read: Reader): string {
  const text = read.text('base-url')
  const addProblem = (message: string) => read.addProblem('base-url', message)
  const url = parseSafeUrl(text)
  if (!url) {
    addProblem(
      `is ${quote(text)}. Use an https URL (http only on loopback), because the token is sent there.`,
    )
    return ''
  }
  if (hasCredentials(url)) addProblem('contains a user name or password. Remove them.')
  if (!/^(\/client\/v4)?\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') {
    addProblem(
      `is ${quote(text)}. Use the root of the API, such as ${inputs['base-url'].default}. The action adds the path.`,
    )
  }
  return url.origin
}

/** Reads `notify-url` and `notify-format`; null without a URL. */
export function readNotify(read: Reader): Notify | null {
  const url = readSecretUrl(read, 'notify-url')
  const format = readChoice(read, 'notify-format', notifyFormats)
  return url === null ? null : { url, format }
}

/** Reads a URL that is a secret, or null. A problem never shows it: anyone who has it can report or say anything there. */
export function readSecretUrl(read: Reader, name: InputName): string | null {
  const text = read.text(name)
  if (text === '') return null
  const url = parseSafeUrl(text)
  if (!url || hasCredentials(url) || text.length > maxSecretBytes) {
    read.addProblem(
      name,
      'must be one https URL of at most 8 KiB without white space, user name or password (http only on loopback).',
    )
  }
  return url?.href ?? null
}

/** Reports proxy variables that the HTTP client would ignore, or would mistake for an HTTP proxy. */
export function checkProxies(read: Pick<Reader, 'addProblem'>, env: Environment): void {
  for (const name of ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']) {
    const value = env[name]
    if (value && parseProxy(value) === null) {
      read.addProblem(
        name,
        'is not the URL of an HTTP proxy, so requests could bypass it. Write it as http://host:port.',
      )
    }
  }
}
