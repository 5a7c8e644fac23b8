import type { SandboxDescription } from '../../../sandbox/sandbox.ts'
import type { Random } from '../../../sandbox/testing/random.ts'
import { stumblingText, withChangedBytes } from './text.ts'

/** A malformed request. If it is framed, the connection can carry another one after it. */
export interface Malformed {
  readonly port: number
  readonly bytes: Buffer
  readonly framed: boolean
}

const methods = 'GET POST PUT PATCH DELETE HEAD OPTIONS TRACE'.split(' ')
const collection = ['GET', 'POST']
const item = ['GET', 'PUT', 'PATCH', 'DELETE']
const recordFields = 'type name content ttl proxied comment tags settings priority data id'.split(' ')
const batchFields = 'deletes patches puts posts'.split(' ')
const tokenFields = 'name policies condition expires_on not_before status'.split(' ')
const controlFields = 'zones records tokens echo errorForm duplicateCode enforce address'.split(' ')
const parameters =
  'name name.contains content type page per_page order direction match tag tag_match tag.absent comment.present proxied search include_shadow_metadata shadowed_by_name status scope'.split(
    ' ',
  )
const contentTypes = [
  'application/json',
  'application/json',
  'multipart/form-data; boundary=x',
  'text/plain',
  'json',
  '',
]
const likelyValues = 'A TXT SRV HTTPS MX 192.0.2.1 a.example.com @ active'.split(' ')

function value(random: Random, depth = 0): unknown {
  const inner = (length: number) => Array.from({ length }, () => value(random, depth + 1))
  const leaves = [
    () => null,
    () => random.chance(50),
    () => random.below(2 ** 31) - 2 ** 30,
    () => random.below(1000) / 7,
    () => stumblingText(random, 20),
    () => random.pick([...likelyValues, 120, 1]),
  ]
  const branches = [
    () => inner(random.below(4)),
    () => Object.fromEntries(inner(random.below(4)).map(one => [stumblingText(random, 6), one])),
  ]
  return random.pick(depth > 2 ? leaves : [...leaves, ...branches])()
}

function object(random: Random, fields: readonly string[]): string {
  const chosen = fields.filter(() => random.chance(50))
  const text = JSON.stringify(Object.fromEntries(chosen.map(field => [field, value(random)])))
  if (random.chance(70)) return text
  return random.chance(50) ? text.slice(0, random.below(text.length)) : `${text}${stumblingText(random, 3)}`
}

/** Returns random text without surrogates, because a lone one cannot be encoded in a URL. */
const wellFormedText = (random: Random): string => stumblingText(random, 8).replace(/[\ud800-\udfff]/g, '?')

function segment(random: Random, known: readonly string[]): string {
  if (random.chance(60)) return random.pick(known)
  return random.chance(50) ? random.bytes(16).toString('hex') : encodeURI(wellFormedText(random))
}

function query(random: Random): string {
  if (random.chance(50)) return ''
  const text = () => encodeURIComponent(wellFormedText(random))
  const pair = () => `${random.pick(parameters)}=${random.chance(50) ? text() : random.below(2 ** 31)}`
  return `?${Array.from({ length: 1 + random.below(3) }, pair).join('&')}`
}

/** A path of the API, the fields of its body, and the methods of most requests to it. The others use any method. */
type Target = readonly [path: string, fields: readonly string[], methods: readonly string[]]

function apiTarget(random: Random, { cloudflare }: SandboxDescription): Target {
  const { zoneId, accountId } = cloudflare
  const zone = `/zones/${zoneId}`
  const resources = ['tokens', 'workers/scripts/a', 'd1/database', 'workers/domains']
  return random.pick<Target>([
    [
      `/${segment(random, ['zones', 'user', 'accounts'])}/${segment(random, [zoneId])}`,
      recordFields,
      ['GET'],
    ],
    [`${zone}/dns_records/batch`, batchFields, ['POST']],
    [`/user/tokens/${segment(random, ['verify', 'permission_groups'])}`, tokenFields, item],
    [`/accounts/${accountId}/${segment(random, resources)}`, tokenFields, [...collection, 'PUT']],
    ['/user/tokens', tokenFields, collection],
    [`/zones/${segment(random, [zoneId])}/dns_records`, recordFields, collection],
    [`${zone}/dns_records/${segment(random, [zoneId])}`, recordFields, item],
  ])
}

function authorization(random: Random, { cloudflare }: SandboxDescription, path: string): readonly string[] {
  const { adminToken, dnsToken } = cloudflare
  const other = () => random.pick([adminToken, stumblingText(random, 50).replace(/[^ -~]/g, '?')])
  // No script and no database is created: they would start workerd.
  const token = path.includes('/accounts/') || random.chance(70) ? dnsToken : other()
  return random.chance(95) ? [`Authorization: ${random.chance(97) ? 'Bearer' : 'Basic'} ${token}`] : []
}

/** Returns valid HTTP with random content. Names and contents are few, so that what is accepted does not fill the store. */
function framed(random: Random, at: SandboxDescription): Malformed {
  const where = random.below(10)
  const anyMethod = random.pick(methods)
  if (where === 0) {
    const path = `/${random.chance(50) ? '' : segment(random, ['x'])}`
    return request(random, random.pick(at.echo), anyMethod, path, stumblingText(random, 30))
  }
  if (where <= 2) {
    const path = `/${segment(random, ['state', 'echo', 'faults', 'limits', 'journal'])}`
    // Neither read nor cleared: a full journal is slow to send, and its size is part of the measured heap.
    const method = path === '/journal' || anyMethod === 'DELETE' ? 'PUT' : anyMethod
    return request(random, at.control, method, path, object(random, controlFields.slice(random.below(3))))
  }
  const [path, fields, fitting] = apiTarget(random, at)
  const method = random.chance(85) ? random.pick(fitting) : anyMethod
  const { baseUrl } = at.cloudflare
  const headers = authorization(random, at, path)
  return request(random, baseUrl, method, `/client/v4${path}`, object(random, fields), headers)
}

function request(
  random: Random,
  url: string,
  method: string,
  path: string,
  body: string,
  headers: readonly string[] = [],
): Malformed {
  const { port, host } = new URL(url)
  const hasBody = !['GET', 'HEAD', 'TRACE'].includes(method) || random.chance(10)
  const content = Buffer.from(hasBody ? body : '')
  const lines = [
    `${method} ${path}${query(random)} HTTP/1.1`,
    `Host: ${random.chance(98) ? host : 'elsewhere.example'}`,
    ...headers,
    ...(hasBody ? [`Content-Type: ${random.pick(contentTypes)}`, `Content-Length: ${content.length}`] : []),
  ]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
  return { port: Number(port), bytes: Buffer.concat([head, content]), framed: true }
}

/** Returns bytes that are not HTTP, or HTTP that stops early or gives a wrong length. */
function unframed(random: Random, at: SandboxDescription): Malformed {
  const { port } = new URL(random.pick([at.cloudflare.baseUrl, at.control, ...at.echo]))
  const whole = framed(random, at).bytes
  const text = (...lines: readonly string[]) => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
  const chunked = ['POST /client/v4/zones HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked', '']
  const version = () => `HTTP/${random.below(9)}.${random.below(9)}`
  const forms = [
    () => random.bytes(1 + random.below(300)),
    () => whole.subarray(0, random.below(whole.length)),
    () => text('GET / HTTP/1.1', 'Host: x', `${'a'.repeat(random.below(20))}\u0000: b`),
    () => text(...chunked, stumblingText(random, 20)),
    () => text('PUT / HTTP/1.1', 'Host: x', `Content-Length: ${random.pick(['-1', '1e3', '99999', '3'])}`),
    () => text(`GET ${'/'.repeat(random.below(3000))} ${version()}`, '', '\0\0'),
    () => withChangedBytes(random, whole, 5),
  ]
  return { port: Number(port), bytes: random.pick(forms)(), framed: false }
}

/** Returns a random malformed request. */
export const malformedRequest = (random: Random, at: SandboxDescription): Malformed =>
  random.chance(92) ? framed(random, at) : unframed(random, at)
