import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { CommandError } from '../../../lib/command.ts'
import { describeEnd } from '../../../lib/expiry.ts'
import { routes } from '../../routes.ts'
import type { Settings } from '../../settings/table.ts'
import type { Ask, Line } from './ask.ts'

/** The identity headers in spellings that applications read as ours: CGI and WSGI keep only letters and digits. */
const spellings = ['-', '_', '.', '!', '~'].map(separator =>
  ['Username', 'Resource-Id', 'Is-Admin', 'Email', 'Assertion'].map(name =>
    `X-Homeport-${name}`.replaceAll('-', separator),
  ),
)
const forged = (names: readonly string[], value: string) =>
  Object.fromEntries(names.map(name => [name, value]))

/** Sends a request for a page of an origin to its proxy, as a browser without a session does. */
export type Visit = (path: string, headers?: Readonly<Record<string, string>>) => ReturnType<Ask>

/** @param from another way to the proxy than the origin */
export function visitorOf(ask: Ask, origin: string, from: string): Visit {
  const own = { host: new URL(origin).host, accept: 'text/html' }
  return (path, headers) => ask(from + path, { ...own, ...headers })
}

/**
 * Checks what the proxy in front of an origin answers.
 * @param ownKey the public key of the first session key
 * @param hsts what the handler sends as Strict-Transport-Security; blank for nothing
 */
export async function* checkOutside(
  { basePath, afterSignInUrl }: Settings,
  ownKey: unknown,
  hsts: string,
  visit: Visit,
): AsyncGenerator<Line> {
  const path = basePath + routes.publicKeys
  const { status, header, body, isFromFront, none, certificateEnd } = await visit(path)
  if (status === 0) {
    const isWrong = /EXPIRED|NOT_YET|ALTNAME|HOSTNAME/.test(none)
    const other = isWrong ? '' : ' If this machine cannot reach it, name another way with --from.'
    yield [isWrong ? 'wrong' : 'not checked', 'certificate', `${none}.${other}`]
    return
  }
  if (certificateEnd > 0) yield ['ok', 'certificate', `It ${describeEnd(certificateEnd, Date.now())}.`]
  if (isFromFront) yield ['not checked', 'handler', `Something in front of the proxy answers ${status}.`]
  else if (!body.startsWith('{"keys":[')) {
    const cure = 'Start the handler, and give its BASE_PATH the path in the proxy’s file.'
    yield ['wrong', 'handler', `${path} answers ${status} without the handler’s keys. ${cure}`]
  } else {
    yield ['ok', 'handler', 'The proxy leads to a handler.']
    const sent = header('strict-transport-security')
    if (sent !== null) yield ['ok', 'HSTS', `${sent}.`]
    else if (hsts !== '') yield ['wrong', 'HSTS', 'The proxy removes Strict-Transport-Security. Let it pass.']
    const isOurs = body.includes(JSON.stringify(ownKey))
    if (isOurs) yield ['ok', 'keys', 'The handler there has the first session key.']
    else yield ['wrong', 'keys', 'The handler there has other session keys. Give it these, and restart it.']
    const health = (await visit(basePath + routes.health)).body
    if (health.startsWith('{"status":')) yield ['ok', 'health', health]
    else yield ['not checked', 'health', 'The proxy does not pass it, and need not.']
  }
  const place = basePath === '' ? afterSignInUrl : '/'
  if (place === null) yield ['not checked', 'protection', 'Set AFTER_SIGN_IN_URL: it names the application.']
  else yield* checkProtection(place, basePath, visit)
}

async function* checkProtection(path: string, basePath: string, visit: Visit): AsyncGenerator<Line> {
  const isIn = ({ status }: Awaited<ReturnType<Visit>>) => status >= 200 && status < 300
  const plain = await visit(path)
  const says = `${path} answers ${plain.status} without a session`
  const isAsked = /\/\?return=|"code":"signed-out"/.test(`${plain.header('location')} ${plain.body}`)
  if (isIn(plain)) yield ['wrong', 'protection', `${says}: the proxy does not ask the handler.`]
  else if (!isAsked) yield ['not checked', 'protection', `${says}, and not as the handler does.`]
  else {
    yield ['ok', 'protection', `${says}, as ${basePath}/ does.`]
    const passed: string[] = []
    for (const names of spellings) if (isIn(await visit(path, forged(names, '1')))) passed.push(...names)
    const seen = 'They let nobody in. Only --echo shows whether they reach the application.'
    if (passed.length === 0) yield ['ok', 'forged headers', seen]
    else yield ['wrong', 'forged headers', `Remove these before the check: ${passed.join(', ')}.`]
  }
}

/** Listens in the application's place. @throws CommandError if it cannot */
export async function openEcho(port: number) {
  const arrived: { readonly url: string; readonly rawHeaders: readonly string[] }[] = []
  const server = createServer(({ url = '', rawHeaders }, response) => {
    arrived.push({ url, rawHeaders })
    response.end()
  }).listen(port, '127.0.0.1')
  await once(server, 'listening').catch(({ message }: Error) => {
    throw new CommandError(`${message}. Stop the application first.`, { status: 2 })
  })
  function close(): void {
    server.close()
    server.closeAllConnections()
  }
  return { arrived, close }
}

/** Sends forged headers to an open path, and tells which of them arrive in the application's place. */
export async function checkOpenPath(
  path: string,
  visit: Visit,
  { arrived }: Awaited<ReturnType<typeof openEcho>>,
): Promise<Line> {
  const about = `open path ${path}`
  const mark = randomBytes(8).toString('hex')
  const { status } = await visit(`${path}?${mark}`)
  if (!arrived.some(({ url }) => url.includes(mark)))
    return ['not checked', about, `The proxy answers ${status}, and asks nobody at the port of --echo.`]
  for (const names of spellings) await visit(path, forged(names, mark))
  const names = arrived.flatMap(({ rawHeaders }) =>
    rawHeaders.filter((_, at) => at % 2 === 0 && rawHeaders[at + 1] === mark),
  )
  if (names.length === 0) return ['ok', about, 'No forged header arrives.']
  return ['wrong', about, `Let the proxy remove these of the visitor’s headers: ${names.join(', ')}.`]
}
