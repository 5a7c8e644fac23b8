import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describeEnd } from '../../../lib/expiry.ts'
import { isFromFront } from '../../../lib/in-front.ts'
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

/** What the handler of these settings says of itself to everybody. */
export interface Expected {
  /** The public key of the first session key. */
  readonly ownKey: unknown
  /** Strict-Transport-Security; blank for none. */
  readonly hsts: string
}

/** Sends a request for a page of an origin to its proxy, as a browser without a session does. */
export type Visit = (path: string, headers?: Readonly<Record<string, string>>) => ReturnType<Ask>

/** @param from another way to the proxy than the origin */
export function visitorOf(ask: Ask, origin: string, from: string): Visit {
  return (path, headers = {}) =>
    ask(from + path, { host: new URL(origin).host, accept: 'text/html', ...headers })
}

/** Checks what the proxy in front of an origin answers. */
export async function* checkOutside(
  { basePath, afterSignInUrl }: Settings,
  { ownKey, hsts }: Expected,
  visit: Visit,
): AsyncGenerator<Line> {
  const keysPath = basePath + routes.publicKeys
  const { status, header, text, failure, reason, certificateEnd } = await visit(keysPath)
  if (status === 0) {
    const isWrong = /EXPIRED|NOT_YET|ALTNAME|HOSTNAME/.test(failure)
    const other = 'If it cannot be reached from here, name another way with --from.'
    yield [isWrong ? 'wrong' : 'not checked', 'certificate', `${reason}.${isWrong ? '' : ` ${other}`}`]
    return
  }
  if (certificateEnd > 0) yield ['ok', 'certificate', `It ${describeEnd(certificateEnd, Date.now())}.`]
  if (isFromFront(status, header, text))
    yield ['not checked', 'handler', `Something in front of the proxy answers ${status}.`]
  else if (!text.startsWith('{"keys":[')) {
    const cure = 'Start the handler, and give its BASE_PATH the path in the proxy’s file.'
    yield ['wrong', 'handler', `${keysPath} answers ${status} without the handler’s keys. ${cure}`]
  } else {
    yield ['ok', 'handler', 'The proxy leads to a handler.']
    if (hsts !== '') {
      const found = header('strict-transport-security')
      if (found === '') yield ['wrong', 'HSTS', 'The proxy removes Strict-Transport-Security. Let it pass.']
      else yield ['ok', 'HSTS', `${found}.`]
    }
    if (text.includes(JSON.stringify(ownKey))) yield ['ok', 'keys', 'The handler there has the first key.']
    else
      yield [
        'wrong',
        'keys',
        'The handler there has other session keys. Give each server the same, and restart it.',
      ]
    const health = await visit(basePath + routes.health)
    if (health.text.startsWith('{"status":')) yield ['ok', 'health', health.text]
    else yield ['not checked', 'health', 'The proxy does not pass it, and need not.']
  }
  const path = basePath === '' ? afterSignInUrl : '/'
  if (path === null) {
    yield ['not checked', 'protection', 'Only AFTER_SIGN_IN_URL says where the application is.']
    return
  }
  const isOpen = async (headers = {}) => {
    const answer = await visit(path, headers)
    return { answer, isIn: answer.status >= 200 && answer.status < 300 }
  }
  const { answer, isIn } = await isOpen()
  const says = `${path} answers ${answer.status} without a session`
  const isAsked =
    [401, 403].includes(answer.status) || answer.header('location').includes(`${basePath}/?return=`)
  if (isIn) yield ['wrong', 'protection', `${says}: the proxy does not ask the handler.`]
  else if (!isAsked) yield ['not checked', 'protection', `${says}, which the handler does not tell it to.`]
  else {
    yield ['ok', 'protection', `${says}.`]
    const passed: string[] = []
    for (const [name = '', ...others] of spellings)
      if ((await isOpen(forged([name, ...others], '1'))).isIn) passed.push(name)
    if (passed.length > 0)
      yield ['wrong', 'forged headers', `${passed.join(', ')} lets visitors in. Remove them first.`]
    else
      yield [
        'ok',
        'forged headers',
        'They let nobody in. Only --echo shows whether they reach the application.',
      ]
  }
}

/** Listens in the application's place. @throws Error of the system if it cannot */
export async function openEcho(port: number) {
  const arrived: { readonly url: string; readonly rawHeaders: readonly string[] }[] = []
  const server = createServer(({ url = '', rawHeaders }, response) => {
    arrived.push({ url, rawHeaders })
    response.end()
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
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
  return ['wrong', about, `Headers of the visitor arrive: ${names.join(', ')}. Let the proxy remove them.`]
}
