import { quote } from '../report/quote.ts'
import type { Reader } from './reader.ts'
import { inputs } from './table.ts'
import { hasCredentials, parseSafeUrl } from './url.ts'

/** Reads `api-token`. */
export function readToken(read: Reader): string {
  const token = read.text('api-token')
  const addProblem = (message: string) => read.addProblem('api-token', message)
  if (token === '') {
    addProblem(
      'is empty. Pass the secret that holds the token; runs for forks and Dependabot get no secrets, and an ' +
        'environment’s secret needs environment: on the job.',
    )
  } else if (/^bearer\s/i.test(token)) {
    addProblem('starts with "Bearer". Paste the token alone; the word is added when it is sent.')
  } else if (token.startsWith('cfk_')) {
    addProblem(
      'is a global API key, which may do everything in the account. Create a token from the template "Edit zone DNS" ' +
        'for this one zone instead.',
    )
  } else if (!/^[\x21-\x7e]+$/.test(token)) {
    addProblem('contains white space or characters that no token has. Paste it again, as one line.')
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
      `is ${quote(text)}; it must be an https URL (http only on loopback), since the token is sent there.`,
    )
    return ''
  }
  if (hasCredentials(url)) addProblem('contains a user name or password. Leave them out.')
  if (!/^(\/client\/v4)?\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') {
    addProblem(`is ${quote(text)}; give the root, such as ${inputs['base-url']}. The path is added to it.`)
  }
  return url.origin
}
