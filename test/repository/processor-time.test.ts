import { beforeAll, describe, expect, it } from 'vitest'
import { askEcho } from '../../action/address/echo.ts'
import { askDns } from '../../action/address/resolver.ts'
import { parseRecord, readPageInfo } from '../../action/records/envelope.ts'
import { describeResponse, isTokenRejected } from '../../action/records/problems.ts'
import { parseEnvelope } from '../../lib/cloudflare.ts'
import { responseOf } from '../../lib/exchange.ts'
import { canonicalHostname } from '../../lib/hostname.ts'
import { parseCidr, rangeOf } from '../../lib/ip-address.ts'
import { parseSuffix } from '../../lib/ipv6-suffix.ts'
import { printable, quote } from '../../lib/quote.ts'
import { maskAddresses, maskSecrets, redactTokenShapes } from '../../lib/redact.ts'
import { parseTrustedProxy } from '../../lib/trusted-proxies.ts'
import { parseProxy, parseSafeUrl } from '../../lib/url.ts'
import { passwordOf, pathOf, readAddresses, readNames, readParameters } from '../../push/protocol.ts'
import { clientNetwork } from '../../src/http/client-network.ts'
import { otherCookies, readCookie, sessionCookie, transactionCookie } from '../../src/http/cookies.ts'
import { readEmployeesFile } from '../../src/operator/import-file.ts'
import { maxReturnBytes } from '../../src/settings/return-path.ts'
import { jsonResponse, startInProcess } from '../src/support/in-process.ts'
import { response } from '../support/response.ts'

/** Maximum bytes of a request's head in Node (`maxHeaderSize`). Readers of services' responses take less. */
const maxHead = 65_536

const distinct = Array.from({ length: maxHead }, (_, index) =>
  String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)),
).join('')

/** What a text repeats, whole and between two letters: 48 shapes. A blank at the end is another one than a blank inside. */
const units = [
  ' ',
  '\t',
  ' \t',
  '\n',
  ';',
  ' ;',
  ',',
  ', ',
  '/',
  '/.',
  '/x/..',
  '.',
  'a.',
  ':',
  '1:',
  '%',
  '%25',
  '%2e',
]
const more = ['=', '-', '1', 'a', '"', distinct]
const shapes = [...units, ...more].flatMap(unit => [
  (length: number) => repeat(unit, length),
  (length: number) => `a${repeat(unit, length - 2)}b`,
])
const nameOf = (shape: (typeof shapes)[number]) => JSON.stringify(shape(12))

function repeat(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
}

/** Below this, in milliseconds of the processor for the longest text, nobody waits, whatever the growth is. */
const negligibleMs = 10
/** Below this, a time is measured more often before it is called too long. */
const doubtfulMs = 100

const linear = 4
/** Of a text that is four times as long: between what is linear and the square. */
const maxFactor = 2 * linear

type Work = (text: string) => unknown
const same = (text: string) => text

/** Returns what a call takes of processor time, in milliseconds. */
async function timeOf(work: Work, text: string): Promise<number> {
  const before = process.cpuUsage()
  try {
    await work(text)
  } catch {
    // Neither a header nor a URL takes every character.
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Returns by how much the time grows for a text that is four times as long; 1 if the longer one costs next to nothing. */
async function growthOf(work: Work, shape: (typeof shapes)[number], longest: number): Promise<number> {
  const [short, long] = [shape(longest / linear), shape(longest)]
  const times = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY }
  // A busy machine, a garbage collection and what is not compiled yet disturb short times. A square stays one in all rounds.
  for (let round = 0; round < 5 || (round < 30 && times.long < doubtfulMs); round += 1) {
    times.long = Math.min(times.long, await timeOf(work, long))
    if (times.long < negligibleMs) return 1
    times.short = Math.min(times.short, await timeOf(work, short))
    if (times.long < maxFactor * times.short) break
  }
  return times.long / times.short
}

const hosts = ['people', 'wiki'].map(name => `https://${name}.example.com/auth/callback`).join()
const app = startInProcess({ REDIRECT_URI: hosts, AUTO_SIGN_IN: 'true', SESSION_RECHECK: '1h' })
const navigation = { accept: 'text/html', 'sec-fetch-site': 'same-origin', host: 'people.example.com' }
let session = ''
beforeAll(async () => {
  started = await entra.start()
  session = (await app.signIn('code', '', { headers: navigation })).session
})
const ask = (path: string, headers: Readonly<Record<string, string>>, isTrusted = true) =>
  app.app(new Request(`https://people.example.com${path}`, { headers: { ...navigation, ...headers } }), {
    isProxyTrusted: () => isTrusted,
  })
const forward = '/api/auth/forward?navigate=redirect&cookie=rest&assertion=yes'
const inHeader =
  (name: string, path = forward): Work =>
  text =>
    ask(path, { cookie: session, [name]: text })
const inCookie =
  (before: string, isFirst = false): Work =>
  text =>
    ask(forward, { cookie: isFirst ? before + text : `${session}; ${before}${text}` })
const inQuery =
  (name: string, path: string): Work =>
  text =>
    ask(`${path}?${new URLSearchParams({ [name]: text })}`, { cookie: session })
let answers: readonly [token: object, profile: object] = [{}, {}]
const entra = startInProcess({}, {}, async url => {
  const [token, profile] = answers
  return url.endsWith('/token')
    ? jsonResponse('error' in token ? 400 : 200, token)
    : jsonResponse(200, profile)
})
let started = { cookie: '', callback: '' }
let codes = 0
/** Redeems a code while Entra answers so. */
function redeem(token: object, profile: object): Promise<Response> {
  answers = [token, profile]
  codes += 1
  return entra.call(started.callback.replace('code=code', `code=${codes}`), started.cookie)
}
const bearer = { token_type: 'Bearer', access_token: 'token' }
const ping = (query: string, headers: Readonly<Record<string, string>> = {}) =>
  new Request(`https://push.example/nic/update?${query}`, { headers })
const parameters = (name: string, text: string) =>
  new URLSearchParams({ hostname: 'home.example.com', [name]: text })
const dns = {
  kind: 'dns',
  name: '',
  hostname: 'home.example.com',
  managed: [],
  resolvers: ['https://a.example'],
} as const
const answerOf = (name: string, data: string) => ({
  Status: 0,
  TC: false,
  Question: [{ name: 'home.example.com', type: 1 }],
  Answer: [{ name, type: 5, TTL: 60, data }],
})
const echo = (form: 'text' | 'trace', text: string) =>
  askEcho({ kind: 'echo', name: '', url: 'https://echo.example', form }, 'A', async () =>
    response(text, { contentType: 'text/plain' }),
  )
const range = [rangeOf('127.0.0.1', 32, 4)]

/** Every way in which a stranger's text, or an operator's, comes in: its longest length in bytes, and what reads it. */
const ways: Readonly<Record<string, readonly [longest: number, work: Work]>> = {
  // The handler: visitors.
  readCookie: [maxHead, text => readCookie(text, sessionCookie)],
  'readCookie, the value': [maxHead, text => readCookie(`${sessionCookie}=${text}`, sessionCookie)],
  otherCookies: [maxHead, otherCookies],
  'another cookie': [maxHead, inCookie('')],
  'a session': [maxHead, inCookie(`${sessionCookie}=`, true)],
  'a sign-in': [
    maxHead,
    text => ask('/api/auth/callback?code=c&state=s', { cookie: `${transactionCookie}=${text}` }),
  ],
  'X-Forwarded-For': [maxHead, text => clientNetwork('127.0.0.1', text, range)],
  'X-Forwarded-Host': [maxHead, inHeader('x-forwarded-host')],
  'X-Forwarded-Uri': [maxHead, inHeader('x-forwarded-uri')],
  'X-Forwarded-Uri without a session': [maxHead, text => ask(forward, { 'x-forwarded-uri': text })],
  'a path to return to': [maxReturnBytes, text => ask(forward, { 'x-forwarded-uri': `/${text.slice(1)}` })],
  'X-Forwarded-Method': [maxHead, text => ask(forward, { 'x-forwarded-method': text })],
  Referer: [
    maxHead,
    text => ask(forward, { 'x-forwarded-method': 'POST', referer: `https://people.example.com/${text}` }),
  ],
  Host: [maxHead, inHeader('host')],
  Accept: [maxHead, inHeader('accept')],
  Origin: [maxHead, inHeader('origin', '/api/auth/logout')],
  'Sec-Fetch-Site': [maxHead, inHeader('sec-fetch-site', '/api/session')],
  'Sec-Purpose': [maxHead, inHeader('sec-purpose')],
  'the name of a header': [maxHead, text => ask(forward, { [text]: '' })],
  'a path': [maxHead, text => ask(`/${text}`, {})],
  'the query of the check': [maxHead, text => ask(`${forward}&${text}`, { cookie: session })],
  '?return= of the page': [maxHead, text => ask(`/?return=/${text}`, { cookie: session })],
  '?return= of login-url': [maxHead, inQuery('return', '/api/auth/login-url')],
  '?prompt=': [maxHead, inQuery('prompt', '/api/auth/login-url')],
  '?code=': [maxHead, inQuery('code', '/api/auth/callback')],
  '?state=': [maxHead, inQuery('state', '/api/auth/callback')],
  '?error=': [maxHead, inQuery('error', '/api/auth/callback')],
  '?error_description=': [maxHead, inQuery('error_description', '/api/auth/callback')],
  // The handler: what Entra sends, and what people write into their profile.
  'Entra’s error': [maxHead, text => redeem({ error: 'invalid_grant', error_description: text }, {})],
  'Entra’s scope': [maxHead, text => redeem({ ...bearer, scope: text }, {})],
  'an address': [
    maxHead,
    text => redeem(bearer, { id: 'D1', mail: text, userPrincipalName: `${text}@example.com` }),
  ],
  // The endpoint.
  pathOf: [maxHead, text => pathOf(new Request(`https://push.example/${text}`))],
  readParameters: [maxHead, text => readParameters(ping(text))],
  Authorization: [
    maxHead,
    text => passwordOf(ping('', { authorization: `Basic ${text}` }), new URLSearchParams(), false),
  ],
  hostname: [maxHead, text => readNames(parameters('hostname', text))],
  ...Object.fromEntries(
    ['myip', 'myipv6', 'ip6lanprefix', 'other'].map(name => [
      name,
      [maxHead, (text: string) => readAddresses(parameters(name, text), null, null)],
    ]),
  ),
  // The action: services.
  'an echo': [maxHead, text => echo('text', text)],
  'a trace': [maxHead, text => echo('trace', `ip=${text}\nwarp=${text}`)],
  'a resolver’s name': [maxHead, text => askDns(dns, 'A', async () => response(answerOf(text, text)), same)],
  'a resolver’s alias': [
    maxHead,
    text => askDns(dns, 'A', async () => response(answerOf('home.example.com', text)), same),
  ],
  'headers of a response': [maxHead, text => responseOf(200, () => text, '')],
  'an error of the DNS API': [
    maxHead,
    text => {
      const { errors = [] } =
        parseEnvelope(JSON.stringify({ success: false, errors: [{ code: 1, message: text }] })) ?? {}
      return [isTokenRejected(403, errors), describeResponse(400, errors)]
    },
  ],
  'a record': [maxHead, text => parseRecord({ id: '0'.repeat(32), type: 'TXT', name: text, content: text })],
  result_info: [maxHead, text => readPageInfo({ [text]: text })],
  quote: [maxHead, quote],
  // What people set or import.
  redactTokenShapes: [maxHead, redactTokenShapes],
  parseCidr: [maxHead, parseCidr],
  'parseCidr, IPv6': [maxHead, text => parseCidr(`::${text}/64`)],
  parseTrustedProxy: [maxHead, parseTrustedProxy],
  parseSuffix: [maxHead, parseSuffix],
  canonicalHostname: [maxHead, canonicalHostname],
  parseProxy: [maxHead, parseProxy],
  parseSafeUrl: [maxHead, text => parseSafeUrl(`https://${text}`)],
  printable: [maxHead, printable],
  readEmployeesFile: [maxHead, text => readEmployeesFile(Buffer.from(`id,user_name\n1,${text}\n`))],
}

describe.each([false, true])('with addresses masked: %j,', isMasked => {
  beforeAll(() => {
    maskSecrets(['a secret of the action'])
    maskAddresses(isMasked)
  })
  const own = ['quote', 'an error of the DNS API']
  const rows = Object.entries(ways).filter(([name]) => !isMasked || own.includes(name))
  it.each(rows)(
    '%s takes a time that grows with its length, not with the square of it',
    async (_, [longest, work]) => {
      for (const shape of shapes)
        expect(await growthOf(work, shape, longest), nameOf(shape)).toBeLessThan(maxFactor)
    },
  )
})
