import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { inTime, Random, runs } from '../../../sandbox/testing/random.ts'
import { stumblingText } from '../fuzz/text.ts'
import { runApplication } from './application.ts'

const requestCount = runs(400)

const application = runApplication()

/** Sends bytes and returns everything received until the connection closes. */
const exchange = (port: number, bytes: string): Promise<string> =>
  new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port })
    let received = ''
    socket.setTimeout(2000, () => socket.destroy())
    socket.on('data', chunk => {
      received += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(received))
    socket.end(bytes, 'latin1')
  })

function ports() {
  const { instance, graphUrl } = application.entra.description
  return [instance, graphUrl].map(url => Number(new URL(url).port))
}

const names =
  'client_id scope state redirect_uri code grant_type refresh_token response_mode client_secret $select x'.split(
    ' ',
  )
const methods = ['GET', 'GET', 'POST', 'POST', 'PUT', 'OPTIONS', 'HEAD', 'DELETE', 'GE T']
const types = ['application/x-www-form-urlencoded', 'application/json', 'text/plain; charset=x', ';']
const hosts = ['127.0.0.1', 'attacker.example', '[', 'a b', '']
const cookies = ['', 'entra_session=x', 'entra_interaction=x; entra_interaction.sig=y', '=;=;']

function malformed(random: Random, valid: readonly string[]): string {
  const { tenantId } = application.entra.description
  const text = () => stumblingText(random, 4)
  const own = ['authorize', 'token', 'logout', 'logout/confirm', 'authorize/x'].map(
    path => `/${tenantId}/oauth2/v2.0/${path}`,
  )
  const others = ['/interaction/x/login', '/interaction/', '/v1.0/me', '/oidc/userinfo', text(), `/${text()}`]
  const path = random.pick([...own, `/${tenantId}/v2.0/.well-known/openid-configuration`, ...others])
  function fields() {
    // Starts with parts of a valid request, so that the garbage gets past the first check.
    const good = random.chance(50) ? valid : valid.filter(() => random.chance(50))
    const bad = Array.from({ length: random.below(7) }, () => `${random.pick(names)}=${text()}`)
    return [...good, ...bad].join('&')
  }
  const target = `${path}?${fields()}`
  const body = fields()
  return [
    // A space would end the request target, so only one in ten requests keeps it.
    `${random.pick(methods)} ${random.chance(90) ? target.replaceAll(' ', '+') : target} HTTP/1.1`,
    `Host: ${random.pick(hosts)}`,
    `Content-Type: ${random.pick(types)}`,
    `Content-Length: ${Buffer.byteLength(body, 'latin1')}`,
    `Authorization: ${random.pick(['Basic x', 'Bearer x', 'Basic Og==', 'Bearer ', text()])}`,
    `Cookie: ${random.pick(cookies)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

describe('garbage', () => {
  it(`in ${requestCount} requests never causes a 5xx, a token or a code, and sign-in still works`, async () => {
    const random = new Random()
    const { searchParams } = await application.authorization()
    const valid = [...searchParams].map(([name, value]) => `${name}=${value}`)
    const answers: string[] = []
    const [login = 0, graph = 0] = ports()
    for (const _ of inTime(Array(Math.ceil(requestCount / 50)))) {
      const batch = Array.from({ length: 50 }, () => malformed(random, valid))
      const sent = batch.map((bytes, which) => exchange(which % 4 ? login : graph, bytes))
      answers.push(...(await Promise.all(sent)))
    }
    expect(answers.filter(answer => answer.startsWith('HTTP/1.1 5'))).toEqual([])
    const answered = answers.filter(answer => answer.startsWith('HTTP/1.1 '))
    expect(answered.length).toBeGreaterThan(answers.length / 2)
    expect(answers.filter(answer => /access_token|^location: .*[?&]code=/im.test(answer))).toEqual([])
    expect((await application.me(await application.token())).status).toBe(200)
  })
})
