import type { FullReading } from '../../lib/reading.ts'

/** What is wrong with the text of a setting. Never holds a secret. */
export interface SettingProblem {
  readonly code: SettingProblemCode
  /** What is wrong, if not the whole text. */
  readonly found?: string
  /** What to use instead. */
  readonly expected?: string
  /** The part of a list that is wrong. */
  readonly part?: string
}

/** What a reader makes of a setting's text. */
export type SettingReading<T> = FullReading<T, SettingProblem>

/** Each message continues the setting's name. The caller adds the name, and a fix of its own. */
const messages = {
  missing: () => 'is missing.',
  'not-boolean': () => 'is neither true nor false.',
  'not-a-choice': ({ expected }) => `is not one of ${expected}.`,
  'needs-auto-sign-in': () =>
    'needs AUTO_SIGN_IN=true, since it signs people in without a click. Set both, or off.',
  'not-a-duration': ({ expected }) => `is not a time ${expected}.`,
  'not-a-url': ({ expected }) => `is not a URL. Give it in full, such as ${expected}.`,
  'not-a-proxy': () => 'is not the URL of a proxy, such as http://proxy.example.com:3128.',
  'not-https': () => 'does not use https. Only loopback addresses may use http.',
  'more-than-host': ({ expected }) => `has more than a host. Use ${expected}.`,
  'graph-unknown': () => 'is missing, and the sign-in address has no known Graph address.',
  'other-cloud': ({ expected }) =>
    `is in another cloud, so it rejects tokens from the sign-in address.${expected ? ` Use ${expected}.` : ''}`,
  'any-tenant': ({ found }) => `is ${found}, which lets users of every tenant in. Use your own tenant ID.`,
  'not-a-tenant': () => 'is neither a tenant ID nor a domain.',
  'not-a-client-id': () => 'has characters that no client ID has.',
  'empty-part': () => 'has an empty part between its commas.',
  'secret-id': () => 'has the ID of a secret. Use its value, which Entra shows once, when you create it.',
  // Does not repeat the text, which could be the secret itself.
  'not-days': () => 'is not a list of days such as 2027-01-31, separated by commas.',
  'scope-not-allowed': ({ expected }) => `asks for more than ${expected}. The handler uses nothing else.`,
  'not-a-domain': ({ found }) => `has ${JSON.stringify(found)}, which is not a domain such as example.com.`,
  'not-a-proxy-range': ({ found }) => `${found}.`,
  'not-https-or-path': () => 'is neither an https URL nor a path such as /login.',
  'not-a-return-path': ({ expected }) =>
    `is not a path of this host such as /timesheets/, with at most ${expected} bytes, outside the handler’s /api/ and the redirect URI.`,
  'not-a-base-path': ({ expected }) =>
    `is not a path such as /_homeport: at most ${expected} letters, digits, ., -, _ and ~, without a final slash or a segment of dots.`,
  'base-path-taken': () => 'is a path of the handler itself. Use another one, such as /_homeport.',
  'not-a-name': ({ expected }) => `is not a name of 1 to ${expected} visible characters.`,
  'key-form': ({ found }) =>
    `has ${found}, which is not in the form name:key. A name has 1 to 16 letters, digits, - or _.`,
  'key-encoding': ({ found }) => `has ${found}, which is not base64url.`,
  'key-length': ({ found }) => `has ${found}, which is not 32 bytes long.`,
  'key-not-random': ({ found }) => `has ${found}, which is not random.`,
  'key-name-repeated': ({ found }) => `has ${found}, whose name is used twice.`,
  'redirect-length': ({ found }) =>
    `has ${found} characters. Entra registers at most 256. Use a shorter path.`,
  'redirect-characters': ({ found }) =>
    `has ${found}, which Entra rejects in a redirect URI. Use another path.`,
  'redirect-not-ascii': () => 'has a space or a character outside ASCII. Encode it, or use another path.',
  'redirect-no-path': () => 'has no path, and Entra would add a slash. Add a path such as /auth/callback.',
  'redirect-spelling': ({ expected }) =>
    `is not spelled as a browser sends it. Use ${expected}, in the app registration too.`,
  'redirects-many': ({ expected }) => `has more than ${expected} URIs. Remove some.`,
  'redirect-repeated': ({ found }) => `has two URIs for ${found}. Keep one for each host, with one port.`,
  'redirect-schemes': () => 'mixes http and https. Use https for all of them.',
  'redirect-taken': ({ found }) => `leads to ${found}, which the handler already serves. Use another path.`,
} as const satisfies Readonly<Record<string, (problem: SettingProblem) => string>>

export type SettingProblemCode = keyof typeof messages

/** Returns a reading that failed for one reason. */
export function refuse(
  code: SettingProblemCode,
  details: Omit<SettingProblem, 'code'> = {},
): { readonly problems: readonly SettingProblem[] } {
  return { problems: [{ code, ...details }] }
}

/** Most characters to repeat of a part. */
const maxShown = 300

/** Returns one or two sentences that continue the setting's name. */
export function describeProblem(problem: SettingProblem): string {
  const { code, part } = problem
  return `${part === undefined ? '' : `has ${JSON.stringify(part.slice(0, maxShown))}, which `}${messages[code](problem)}`
}
