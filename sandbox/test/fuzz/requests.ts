import type { SandboxDescription } from '../../sandbox.ts'
import type { Random } from '../../testing/random.ts'
import { stumblingText } from './text.ts'

/** A malformed request. If it is framed, the connection can carry another one after it. */
export interface Malformed {
  readonly port: number
  readonly bytes: Buffer
  readonly framed: boolean
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE']
const likely = { collection: ['GET', 'POST'], item: ['GET', 'PUT', 'PATCH', 'DELETE'] } as const
const recordFields = [
  'type',
  'name',
  'content',
  'ttl',
  'proxied',
  'comment',
  'tags',
  'settings',
  'priority',
  'data',
  'id',
]
const tokenFields = ['name', 'policies', 'condition', 'expires_on', 'not_before', 'status']
const controlFields = [
  'zones',
  'records',
  'tokens',
  'echo',
  'errorForm',
  'duplicateCode',
  'enforce',
  'address',
]
const contentTypes = [
  'application/json',
  'application/json',
  'multipart/form-data; boundary=x',
  'text/plain',
  'json',
  '',
]
const parameters = [
  'name',
  'name.contains',
  'content',
  'type',
  'page',
  'per_page',
  'order',
  'direction',
  'match',
  'tag',
  'tag_match',
  'tag.absent',
  'comment.present',
  'proxied',
  'search',
  'include_shadow_metadata',
  'shadowed_by_name',
  'status',
  'scope',
]

function value(random: Random, depth = 0): unknown {
  switch (random.below(depth > 2 ? 6 : 8)) {
    case 0:
      return null
    case 1:
      return random.chance(50)
    case 2:
      return random.below(2 ** 31) - 2 ** 30
    case 3:
      return random.below(1000) / 7
    case 4:
      return stumblingText(random, 20)
    case 5:
      return random.pick([
        'A',
        'TXT',
        'SRV',
        'HTTPS',
        'MX',
        '192.0.2.1',
        'a.example.com',
        '@',
        120,
        1,
        'active',
      ])
    case 6:
      return Array.from({ length: random.below(4) }, () => value(random, depth + 1))
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [stumblingText(random, 6), value(random, depth + 1)]),
      )
  }
}

function object(random: Random, fields: readonly string[]): string {
  const chosen = fields.filter(() => random.chance(50))
  const text = JSON.stringify(Object.fromEntries(chosen.map(field => [field, value(random)])))
  if (random.chance(70)) return text
  return random.chance(50) ? text.slice(0, random.below(text.length)) : `${text}${stumblingText(random, 3)}`
}

const segment = (random: Random, known: readonly string[]): string =>
  random.chance(60)
    ? random.pick(known)
    : random.chance(50)
      ? random.bytes(16).toString('hex')
      : encodeURI(wellFormed(stumblingText(random, 8)))

/** Replaces surrogates, because a lone one cannot be encoded. */
const wellFormed = (text: string): string => text.replace(/[\ud800-\udfff]/g, '?')

function query(random: Random): string {
  if (random.chance(50)) return ''
  const pairs = Array.from(
    { length: 1 + random.below(3) },
    () =>
      `${random.pick(parameters)}=${random.chance(50) ? encodeURIComponent(wellFormed(stumblingText(random, 8))) : random.below(2 ** 31)}`,
  )
  return `?${pairs.join('&')}`
}

interface Target {
  readonly path: string
  readonly fields: readonly string[]
  /** The methods of most requests to the path. The others use any method. */
  readonly methods: readonly string[]
}

function apiTarget(random: Random, { cloudflare }: SandboxDescription): Target {
  const { zoneId, accountId } = cloudflare
  const { collection, item } = likely
  switch (random.below(7)) {
    case 0:
      return {
        path: `/client/v4/${segment(random, ['zones', 'user', 'accounts'])}/${segment(random, [zoneId])}`,
        fields: recordFields,
        methods: ['GET'],
      }
    case 1:
      return {
        path: `/client/v4/zones/${zoneId}/dns_records/batch`,
        fields: ['deletes', 'patches', 'puts', 'posts'],
        methods: ['POST'],
      }
    case 2:
      return {
        path: `/client/v4/user/tokens/${segment(random, ['verify', 'permission_groups'])}`,
        fields: tokenFields,
        methods: item,
      }
    case 3: {
      const parts = ['tokens', 'workers/scripts/a', 'd1/database', 'workers/domains']
      return {
        path: `/client/v4/accounts/${accountId}/${segment(random, parts)}`,
        fields: tokenFields,
        methods: [...collection, 'PUT'],
      }
    }
    case 4:
      return { path: '/client/v4/user/tokens', fields: tokenFields, methods: collection }
    case 5:
      return {
        path: `/client/v4/zones/${segment(random, [zoneId])}/dns_records`,
        fields: recordFields,
        methods: collection,
      }
    default:
      return {
        path: `/client/v4/zones/${zoneId}/dns_records/${segment(random, [zoneId])}`,
        fields: recordFields,
        methods: item,
      }
  }
}

/** Returns valid HTTP with random content. Names and contents are few, so that what is accepted does not fill the store. */
function framed(random: Random, at: SandboxDescription): Malformed {
  const where = random.below(10)
  const anyMethod = random.pick(methods)
  if (where === 0) {
    const path = `/${random.chance(50) ? '' : segment(random, ['x'])}${query(random)}`
    return request(random.pick(at.echo), anyMethod, path, stumblingText(random, 30), [], random)
  }
  if (where <= 2) {
    const path = `/${segment(random, ['state', 'echo', 'faults', 'limits', 'journal'])}`
    // Neither read nor cleared: a full journal is slow to send, and its size is part of the measured heap.
    const method = path === '/journal' || anyMethod === 'DELETE' ? 'PUT' : anyMethod
    return request(
      at.control,
      method,
      `${path}${query(random)}`,
      object(random, controlFields.slice(random.below(3))),
      [],
      random,
    )
  }
  const { path, fields, methods: fitting } = apiTarget(random, at)
  const method = random.chance(85) ? random.pick(fitting) : anyMethod
  const { adminToken, dnsToken } = at.cloudflare
  const token = random.chance(70)
    ? dnsToken
    : random.chance(50)
      ? adminToken
      : stumblingText(random, 50).replace(/[^ -~]/g, '?')
  const account = path.includes('/accounts/')
  const headers = random.chance(95)
    ? [`Authorization: ${random.chance(97) ? 'Bearer' : 'Basic'} ${account ? dnsToken : token}`]
    : []
  return request(
    at.cloudflare.baseUrl,
    method,
    `${path}${query(random)}`,
    object(random, fields),
    headers,
    random,
  )
}

function request(
  url: string,
  method: string,
  path: string,
  body: string,
  headers: readonly string[],
  random: Random,
): Malformed {
  const { port, host } = new URL(url)
  const hasBody = !['GET', 'HEAD', 'TRACE'].includes(method) || random.chance(10)
  const content = Buffer.from(hasBody ? body : '')
  const lines = [
    `${method} ${path} HTTP/1.1`,
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
  const bytes = (() => {
    switch (random.below(7)) {
      case 0:
        return random.bytes(1 + random.below(300))
      case 1:
        return whole.subarray(0, random.below(whole.length))
      case 2:
        return Buffer.from(`GET / HTTP/1.1\r\nHost: x\r\n${'a'.repeat(random.below(20))}\u0000: b\r\n\r\n`)
      case 3:
        return Buffer.from(
          `POST /client/v4/zones HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${stumblingText(random, 20)}\r\n`,
        )
      case 4:
        return Buffer.from(
          `PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ${random.pick(['-1', '1e3', '99999', '3'])}\r\n\r\n`,
        )
      case 5:
        return Buffer.from(
          `GET ${'/'.repeat(random.below(3000))} HTTP/${random.below(9)}.${random.below(9)}\r\n\r\n\0\0`,
        )
      default: {
        const changed = Buffer.from(whole)
        for (let flips = random.below(5) + 1; flips > 0; flips -= 1)
          changed[random.below(changed.length)] = random.below(256)
        return changed
      }
    }
  })()
  return { port: Number(port), bytes, framed: false }
}

/** Returns a random malformed request. */
export const malformedRequest = (random: Random, at: SandboxDescription): Malformed =>
  random.chance(92) ? framed(random, at) : unframed(random, at)
