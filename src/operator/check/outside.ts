import { once } from 'node:events'
import { createServer } from 'node:http'
import { CommandError } from '../../../lib/command.ts'
import { describeEnd } from '../../../lib/expiry.ts'
import { parseObject } from '../../../lib/json.ts'
import { printableStart } from '../../../lib/quote.ts'
import { identityHeaders } from '../../http/headers.ts'
import { routes } from '../../routes.ts'
import type { Settings } from '../../settings/table.ts'
import type { Answer, Ask, Found, Say } from './ask.ts'

/** The identity headers in spellings that applications read as ours: CGI and WSGI keep only letters and digits. */
const spellings = ['-', '_', '.', '!', '~'].map(mark =>
  identityHeaders.map(name => name.replaceAll('-', mark)),
)

/** The handler answers none of the paths below so: the proxy or something in front of it refuses this machine. */
const refusals = [401, 403, 429]

/** Asks for a path with forged identity headers, a spelling at a time. Returns those that `passed` finds in an answer. */
async function forge(
  visit: Ask,
  path: string,
  value: string,
  passed: (answer: Answer, names: readonly string[]) => readonly string[],
): Promise<readonly string[]> {
  const found: string[] = []
  for (const names of spellings) {
    const forged = Object.fromEntries(names.map(name => [name, value]))
    found.push(...passed(await visit(path, forged), names))
  }
  return found
}

/**
 * Checks what the proxy in front of an origin answers.
 * @param redirectUri its own; null if Entra has another
 * @param ownKey the public key of the first session key
 * @param hsts what the handler sends as Strict-Transport-Security; blank for nothing
 * @param visit asks for a page of the origin, as a browser without a session does
 */
export async function checkOutside(
  { basePath, afterSignInUrl }: Settings,
  redirectUri: string | null,
  ownKey: unknown,
  hsts: string,
  visit: Ask,
  say: Say,
): Promise<void> {
  const path = basePath + routes.publicKeys
  const { status, header, body, none, certificateEnd } = await visit(path)
  if (status === 0) {
    const isWrong = /EXPIRED|NOT_YET|ALTNAME|HOSTNAME|LEAF/.test(none)
    const isTold = isWrong || none.includes('NODE_EXTRA_CA_CERTS')
    const cure = isTold ? '' : ' Start the proxy, or name another way to it, as --help says.'
    say('certificate', isWrong ? 'wrong' : 'not checked', none + cure)
    return say('protection', 'not checked', 'The proxy gave no answer.')
  }
  if (certificateEnd > 0) say('certificate', 'ok', `It ${describeEnd(certificateEnd, Date.now())}.`)
  const own = [routes.signIn, routes.loginUrl, routes.callback].map(route => basePath + route)
  const paths = redirectUri === null ? own : [...own, new URL(redirectUri).pathname]
  const signIn = await checkPaths(paths, header('x-correlation-id') !== null, visit)
  const hasKeys = body.startsWith('{"keys":[')
  if (hasKeys || signIn[0] === 'ok') {
    say('handler', 'ok', 'The proxy leads to a handler.')
    const sent = hasKeys ? header : (await visit(basePath + routes.signIn)).header
    const security = sent('strict-transport-security')
    if (security !== null) say('HSTS', 'ok', `${security}.`)
    else if (hsts !== '') say('HSTS', 'wrong', 'The proxy removes Strict-Transport-Security. Let it pass.')
    const isOurs = body.includes(JSON.stringify(ownKey))
    if (!hasKeys) say('keys', 'not checked', `The proxy does not pass ${path}, and need not.`)
    else if (isOurs) say('keys', 'ok', 'The handler there has the first session key.')
    else say('keys', 'wrong', 'The handler there has other session keys. Give it these, and restart it.')
    const health = (await visit(basePath + routes.health)).body
    if (health.startsWith('{"status":')) say('health', 'ok', printableStart(health))
    else say('health', 'not checked', 'The proxy does not pass it, and need not.')
    say('sign-in', ...signIn)
    const { url } = parseObject((await visit(basePath + routes.loginUrl)).body) ?? {}
    const stated = URL.parse(String(url))?.searchParams.get('redirect_uri')
    if (redirectUri !== null && stated && stated !== redirectUri) {
      const cure = 'Give it these settings and restart it, or let the proxy pass Host.'
      say('redirect URI', 'wrong', `The handler there has ${printableStart(stated)}. ${cure}`)
    }
    // Only the check itself answers so. A proxy that asks it for a visitor's page does not pass the visitor's query on.
    const forward = basePath + routes.forward
    const isOpen = (await visit(`${forward}?path=open`)).status === 204
    if (!isOpen) say('check', 'ok', 'No visitor reaches it.')
    else say('check', 'wrong', `Visitors reach ${forward}. Let the proxy answer 404 there.`)
  } else {
    const cure = 'Start the handler, and give its BASE_PATH the path in the proxy’s file.'
    const text = `${path} answers ${status} without the handler’s keys. ${cure}`
    say('handler', refusals.includes(status) ? 'not checked' : 'wrong', text)
  }
  const place = basePath === '' ? afterSignInUrl : '/'
  if (place === null)
    return say('protection', 'not checked', 'Set AFTER_SIGN_IN_URL: it names the application.')
  const isIn = (answer: Answer) => answer.status >= 200 && answer.status < 300
  const plain = await visit(place)
  const says = `${place} answers ${plain.status} without a session`
  if (isIn(plain)) return say('protection', 'wrong', `${says}: the proxy does not ask the handler.`)
  if (!/\/\?return=|"code":"signed-out"/.test(`${plain.header('location')} ${plain.body}`))
    return say('protection', 'not checked', `${says}, and not as the handler does.`)
  say('protection', 'ok', `${says}. Only this path was asked: try others by hand.`)
  const passed = await forge(visit, place, '1', (answer, names) => (isIn(answer) ? names : []))
  const seen = 'They let nobody in. Only --echo shows whether they reach the application.'
  if (passed.length === 0) say('forged headers', 'ok', seen)
  else say('forged headers', 'wrong', `Remove these before the check: ${passed.join(', ')}.`)
}

/**
 * Checks whether the handler answers on paths, with a page or a refusal of its own: a proxy can hand on its answer to the check.
 * @param isMarked whether the proxy passes the header by which its answers are known
 */
async function checkPaths(paths: readonly string[], isMarked: boolean, visit: Ask): Promise<Found> {
  const missing: string[] = []
  let isSure = isMarked
  for (const path of paths) {
    const { status, header } = await visit(path)
    if (header('x-correlation-id') !== null && (status === 200 || status === 400)) continue
    missing.push(`${path} (${status})`)
    isSure &&= status > 0 && !refusals.includes(status)
  }
  if (missing.length === 0) return ['ok', 'The proxy passes its pages and its API to the handler.']
  const text = `The handler does not answer ${missing.join(' and ')}. Let the proxy pass these paths, and Host, to it.`
  return [isSure ? 'wrong' : 'not checked', text]
}

/**
 * Listens in the application's place until the process ends. Answers with the mark, and the names of the headers that have it.
 * @throws CommandError if it cannot
 */
export async function openEcho(port: number, mark: string): Promise<void> {
  const server = createServer(({ rawHeaders }, response) => {
    const arrived = rawHeaders.filter((_, at) => rawHeaders[at + 1] === mark)
    response.writeHead(200, { connection: 'close', 'cache-control': 'no-store' })
    response.end([mark, ...arrived].join(' '))
  })
  server.listen(port, '127.0.0.1').unref()
  await once(server, 'listening').catch(({ message }: Error) => {
    throw new CommandError(`${message}. Stop the application first.`, { status: 2 })
  })
}

/** Sends forged headers to an open path. Returns whether they arrive at `openEcho`, in the application's place. */
export async function tryOpenPath(path: string, mark: string, visit: Ask): Promise<Found> {
  const { status, body } = await visit(path)
  if (!body.startsWith(mark))
    return ['not checked', `The proxy answers ${status}, and asks nobody at the port of --echo.`]
  const arrived = await forge(visit, path, mark, answer =>
    answer.body.startsWith(mark) ? answer.body.split(' ').slice(1) : [],
  )
  if (arrived.length === 0) return ['ok', 'No forged header arrives.']
  return ['wrong', `Let the proxy remove these of the visitor’s headers: ${arrived.join(', ')}.`]
}
