import { describe, expect, it } from 'vitest'
import { askEcho, type EchoSource, type Send } from '../../../action/address/echo.ts'
import type { HttpResponse } from '../../../lib/exchange.ts'
import { recorded, response } from '../../support/response.ts'

const text: EchoSource = { kind: 'echo', name: 'echo.example', url: 'https://echo.example/', form: 'text' }
const trace: EchoSource = { ...text, url: 'https://echo.example/cdn-cgi/trace', form: 'trace' }

const answering = (body: string, fields: Partial<HttpResponse> = {}) =>
  recorded<Parameters<Send>[0]>(() => response(body, { contentType: 'text/plain', ...fields }))

describe('an echo service', () => {
  it.each([
    ['A', 4, '203.0.113.7\n', '203.0.113.7'],
    ['AAAA', 6, '2001:0DB8::0007\n', '2001:db8::7'],
  ] as const)('is asked for an %s record over IPv%i only', async (type, family, body, address) => {
    const { exchange, sent } = answering(body)
    expect(await askEcho(text, type, exchange)).toEqual({ value: address })
    expect(sent).toEqual([
      { method: 'GET', url: text.url, headers: { Accept: 'text/plain' }, family, maxBytes: 64 },
    ])
  })

  it.each([
    ['A', '2001:db8::7'],
    ['AAAA', '::ffff:203.0.113.7%eth0'],
    ['A', '203.0.113.7\n::stop-commands::x'],
  ] as const)('has no vote for an %s record with the answer %s', async (type, body) => {
    expect(await askEcho(text, type, answering(body).exchange)).toMatchObject({
      problem: expect.stringMatching(/^returned ".*", which is not one IPv[46] address$/),
    })
  })

  it.each<[string, Partial<HttpResponse>, string]>([
    ['a redirect', { status: 302 }, 'returned 302 instead of 200'],
    ['a web page', { contentType: 'text/html' }, 'returned a web page instead of an address'],
  ])('has no vote with %s, even if it contains an address', async (_, response, problem) => {
    const vote = await askEcho(text, 'A', answering('203.0.113.7', response).exchange)
    expect(vote).toEqual({ problem })
  })
})

describe('a trace', () => {
  const lines = (...changed: readonly string[]) =>
    ['fl=1f1', 'h=1.1.1.1', 'ip=203.0.113.7', 'ts=1', 'warp=off', ...changed].join('\n').concat('\n')

  it('gives the address in its only ip= line', async () => {
    const { exchange, sent } = answering(lines())
    expect(await askEcho(trace, 'A', exchange)).toEqual({ value: '203.0.113.7' })
    expect(sent[0]?.maxBytes).toBe(2048)
    expect(await askEcho(trace, 'A', answering(lines().replaceAll('\n', '\r\n')).exchange)).toMatchObject({
      problem: expect.stringContaining('warp='),
    })
  })

  it.each([
    ['no address', lines().replace('ip=', 'xip='), /one ip= line/],
    ['warp=on', lines().replace('warp=off', 'warp=on'), /warp="on" instead of off/],
    ['no warp= line', lines().replace('warp=off\n', ''), /warp=""/],
  ])('with %s has no vote', async (_, body, problem) => {
    expect(await askEcho(trace, 'A', answering(body).exchange)).toMatchObject({
      problem: expect.stringMatching(problem),
    })
  })
})
