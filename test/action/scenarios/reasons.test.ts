import { createServer as createWebServer } from 'node:http'
import { createServer } from 'node:https'
import { describe, expect } from 'vitest'
import type { Reason } from '../../../action/problem.ts'
import { createAuthority } from '../../../sandbox/http/certificates.ts'
import { listen, startProxy } from '../../support/listen.ts'
import { startRelay } from '../../support/relay.ts'
import { after, before, list, onList, onPut, put, type Stage, scenario } from '../../support/stage.ts'
import { runRoundOn } from './round.ts'

const errors = (status: number, code: number) =>
  ({ kind: 'errors', status, errors: [{ code, message: 'refused' }] }) as const
const limited = { kind: 'respond', status: 429, headers: { 'retry-after': '300' } } as const

describe('several names', () => {
  scenario('fail each with its own reason, and the run says which names are correct', async ({ stage }) => {
    const of = (name: string) => ({ name: `${name}.example.com`, content: before })
    const [, , other, rejected, unconfirmed] = stage.setRecords(
      of('home'),
      { ...of('cname'), type: 'CNAME', content: 'other.example.com' },
      of('other'),
      of('rejected'),
      of('unconfirmed'),
      of('two'),
      { ...of('two'), content: '192.0.2.11' },
      { ...of('managed'), meta: { read_only: true } },
    )
    const path = (id = '') => ({ ...onPut, path: id })
    stage.setFaults(
      { match: path(rejected?.id), answer: errors(400, 9005) },
      { match: path(unconfirmed?.id), times: null, answer: { kind: 'reset' } },
    )
    const reasons: Readonly<Record<string, Reason | ''>> = {
      home: '',
      other: '',
      missing: 'record-missing',
      two: 'record-ambiguous',
      cname: 'record-conflict',
      managed: 'record-read-only',
      rejected: 'write-rejected',
      unconfirmed: 'write-unconfirmed',
      lost: 'zone-not-found',
    }
    const names = Object.keys(reasons).map(name => `${name}.example.com`)
    const hostname = names.join('\n').replace(/lost.*/, `$& ${'f'.repeat(32)}`)
    const token = stage.description.cloudflare.adminToken
    const run = await stage.run({ hostname, 'api-token': token })
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'record-missing', changed: 'true' })
    expect(JSON.parse(run.outputs['records'] ?? '')).toMatchObject(
      Object.values(reasons).map(reason => (reason === '' ? { result: 'updated' } : { reason })),
    )
    const summary = run.summary.replaceAll('\\', '')
    for (const text of [run.log, summary])
      expect(text).toContain('2 of 9 records are correct. Not correct: missing.example.com (A), two.')
    expect(summary).toContain(`| rejected.example.com | A | ${before} | ${before} | failed: write-rejected |`)
    const sent = (record: typeof other) =>
      stage.dnsRequests().filter(request => request === put(record)).length
    expect([other, rejected, unconfirmed].map(sent)).toEqual([1, 1, 2])
  })

  scenario('keep connections: four writers open one each', async ({ stage }) => {
    const names = Array.from({ length: 12 }, (_, index) => `n${index}.example.com`)
    const records = stage.setRecords(...names.map(name => ({ name, content: before })))
    const relay = await startRelay(stage.description.cloudflare.baseUrl, { roundTripMs: 20 })
    const run = await runRoundOn(stage, { hostname: names.join('\n'), 'base-url': relay.baseUrl })
    await relay.close()
    expect(run).toMatchObject({ result: 'updated', requests: 16 })
    expect(stage.dnsRequests().slice(1).toSorted()).toEqual(records.map(put).toSorted())
    expect(relay.connections()).toBe(4)
  })
})

/** Causes a round to fail with each of these reasons. */
const causes: Partial<Record<Reason, (stage: Stage) => ReturnType<typeof runRoundOn>>> = {
  'address-disagreement': stage => {
    stage.setEchoes('198.51.100.1', '198.51.100.2', '198.51.100.3')
    return runRoundOn(stage)
  },
  'address-unexpected': stage => runRoundOn(stage, { 'expected-cidr': '198.51.100.0/24' }),
  'token-rejected': stage => runRoundOn(stage, { 'api-token': 'x'.repeat(40) }),
  'rate-limited': stage => {
    stage.setFaults({ match: onList, times: null, answer: limited })
    return runRoundOn(stage)
  },
  'tls-untrusted': async stage => {
    const authority = await createAuthority()
    const server = createServer(authority.issue('127.0.0.1'), () => undefined)
    const url = (await listen(server)).replace('http:', 'https:')
    const run = await runRoundOn(stage, { address: after, 'base-url': url })
    expect(run.problems[0]).toMatch(/SELF_SIGNED_CERT_IN_CHAIN.*NODE_EXTRA_CA_CERTS.*NODE_USE_SYSTEM_CA/)
    server.close()
    return run
  },
  unexpected: async stage => {
    const seen: (string | undefined)[] = []
    const stranger = createWebServer((request, response) => {
      seen.push(request.url, request.headers.authorization)
      response.end('{}')
    })
    const location = await listen(stranger)
    stage.setFaults({ match: onList, answer: { kind: 'respond', status: 308, headers: { location } } })
    const run = await runRoundOn(stage)
    expect(stage.dnsRequests()).toEqual([list])
    // A redirect would send the token along.
    expect(seen).toEqual([])
    stranger.close()
    return run
  },
}

scenario.for(Object.entries(causes))('a round fails with %s', async ([reason, cause], { stage }) => {
  stage.setRecords({ content: before })
  stage.setEchoes(after)
  expect(await cause(stage)).toMatchObject({ result: 'failed', reason })
})

scenario(
  'a proxy that requires a password is named with what to do, and without its URL',
  async ({ stage }) => {
    const proxy = await startProxy('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const https_proxy = proxy.url.replace('//', '//operator:s3cret-pa55@')
    const inputs = { address: after, 'base-url': 'https://api.invalid' }
    const run = await stage.run(inputs, { env: { https_proxy }, unseenRequests: 1 })
    proxy.close()
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'proxy-rejected' })
    expect(run.annotations[0]?.message).toMatch(
      /the proxy requires a user name and password, or rejected them \(407\)/,
    )
    expect(run.raw).not.toContain('s3cret')
  },
)
