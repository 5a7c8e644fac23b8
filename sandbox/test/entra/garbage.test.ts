import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fc, inTime, runs } from '../../testing/random.ts'
import { Application } from './application.ts'

const requestCount = runs(400)

let application: Application
beforeAll(async () => {
  application = await Application.start()
})
afterAll(() => application.entra.close())

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

describe('garbage', () => {
  it(`in ${requestCount} requests never causes a 5xx, a token or a code, and sign-in still works`, async () => {
    const { tenantId } = application.entra.description
    const fragment = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '%',
        '%00',
        '%zz',
        '..',
        '//',
        '[',
        ' ',
        '\u00e9',
        '__proto__',
        'constructor',
        '&&==',
        '?',
      ),
    )
    const path = fc.oneof(
      fc.constantFrom(
        `/${tenantId}/oauth2/v2.0/authorize`,
        `/${tenantId}/oauth2/v2.0/token`,
        `/${tenantId}/oauth2/v2.0/logout`,
        `/${tenantId}/oauth2/v2.0/logout/confirm`,
        `/${tenantId}/oauth2/v2.0/authorize/x`,
        `/${tenantId}/v2.0/.well-known/openid-configuration`,
        '/interaction/x/login',
        '/interaction/',
        '/v1.0/me',
        '/oidc/userinfo',
      ),
      fragment,
      fragment.map(text => `/${text}`),
    )
    const field = fc
      .tuple(
        fc.constantFrom(
          'client_id',
          'scope',
          'state',
          'redirect_uri',
          'code',
          'grant_type',
          'refresh_token',
          'response_mode',
          'client_secret',
          '$select',
          'x',
        ),
        fragment,
      )
      .map(([name, value]) => `${name}=${value}`)
    const own = [...(await application.authorization()).searchParams].map(
      ([name, value]) => `${name}=${value}`,
    )
    // Starts with parts of a valid request, so that the garbage gets past the first check.
    const fields = fc
      .tuple(fc.oneof(fc.constant(own), fc.subarray(own)), fc.array(field, { maxLength: 6 }))
      .map(([good, bad]) => [...good, ...bad].join('&'))
    const request = fc
      .record({
        method: fc.constantFrom('GET', 'POST', 'GET', 'POST', 'PUT', 'OPTIONS', 'HEAD', 'DELETE', 'GE T'),
        path,
        query: fields,
        body: fields,
        type: fc.constantFrom(
          'application/x-www-form-urlencoded',
          'application/json',
          'text/plain; charset=x',
          ';',
        ),
        host: fc.constantFrom('127.0.0.1', 'attacker.example', '[', 'a b', ''),
        authorization: fc.oneof(fragment, fc.constantFrom('Basic x', 'Bearer x', 'Basic Og==', 'Bearer ')),
        spaced: fc.nat(),
        cookie: fc.constantFrom(
          '',
          'entra_session=x',
          'entra_interaction=x; entra_interaction.sig=y',
          '=;=;',
        ),
      })
      .map(({ method, path: at, query, body, type, host, authorization, cookie, spaced }) =>
        [
          // A space would end the request target, so only one in ten requests keeps it.
          `${method} ${spaced % 10 ? `${at}?${query}`.replaceAll(' ', '+') : `${at}?${query}`} HTTP/1.1`,
          `Host: ${host}`,
          `Content-Type: ${type}`,
          `Content-Length: ${Buffer.byteLength(body, 'latin1')}`,
          `Authorization: ${authorization}`,
          `Cookie: ${cookie}`,
          'Connection: close',
          '',
          body,
        ].join('\r\n'),
      )
    const samples = fc.sample(request, requestCount)
    const batches = Array.from({ length: Math.ceil(samples.length / 50) }, (_, at) => at * 50)
    const answers: string[] = []
    const [login = 0, graph = 0] = ports()
    for (const at of inTime(batches)) {
      const batch = samples.slice(at, at + 50)
      answers.push(
        ...(await Promise.all(batch.map((bytes, which) => exchange(which % 4 ? login : graph, bytes)))),
      )
    }
    expect(answers.filter(answer => answer.startsWith('HTTP/1.1 5'))).toEqual([])
    expect(answers.filter(answer => answer.startsWith('HTTP/1.1 ')).length).toBeGreaterThan(
      answers.length / 2,
    )
    expect(answers.filter(answer => /access_token|^location: .*[?&]code=/im.test(answer))).toEqual([])
    expect((await application.me(await application.token())).status).toBe(200)
  })

  it('that is not HTTP gets no response', async () => {
    for (const port of ports()) expect(await exchange(port, '\u0016\u0003\u0001 hello\r\n\r\n')).toBe('')
    expect(await application.token()).not.toBe('')
  })

  it('of more than 1 MiB is refused with 413', async () => {
    const url = `${application.authority}/oauth2/v2.0/token`
    const body = 'x'.repeat(1024 * 1024 + 1)
    expect((await fetch(url, { method: 'POST', body })).status).toBe(413)
    expect(application.entra.requests.at(-1)).toMatchObject({ status: 413, body: null })
  })

  it('that stops halfway does not break later requests', async () => {
    const [login = 0] = ports()
    const { tenantId } = application.entra.description
    await exchange(
      login,
      `POST /${tenantId}/oauth2/v2.0/token HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nhalf`,
    )
    expect(await application.token()).not.toBe('')
  })
})
