import { createServer as createWebServer } from 'node:http'
import { createServer } from 'node:https'
import { expect } from 'vitest'
import { type Reason, reasons } from '../../../action/problem.ts'
import { createAuthority } from '../../../sandbox/http/certificates.ts'
import { listen, startProxy } from '../../support/listen.ts'
import type { StepRun } from '../../support/runner.ts'
import { after, before, list, onList, onPut, type Stage, scenario } from '../../support/stage.ts'

const errors = (status: number, code: number) =>
  ({ kind: 'errors', status, errors: [{ code, message: 'refused' }] }) as const
const limited = { kind: 'respond', status: 429, headers: { 'retry-after': '300' } } as const

/** Runs the action after a change of the sandbox. */
const runAfter = (change: (stage: Stage) => void) => (stage: Stage) => {
  change(stage)
  return stage.run()
}

/** Causes a run to fail with each reason. The record is at its old address, and the echoes return the new one. */
const causes: Readonly<Record<Reason, (stage: Stage) => Promise<StepRun>>> = {
  'invalid-input': stage => stage.run({ ttl: 'soon' }),
  'hosted-runner': stage => stage.run({}, { env: { RUNNER_ENVIRONMENT: 'github-hosted' } }),
  'address-unavailable': runAfter(stage => stage.setEchoes('no address')),
  'address-disagreement': runAfter(stage => stage.setEchoes('198.51.100.1', '198.51.100.2', '198.51.100.3')),
  'address-not-public': stage => stage.run({ address: '192.168.1.1', 'allow-reserved-address': 'false' }),
  'address-unexpected': stage => stage.run({ 'expected-cidr': '198.51.100.0/24' }),
  'token-rejected': stage => stage.run({ 'api-token': 'x'.repeat(40) }),
  'zone-not-found': stage =>
    stage.run({ 'zone-id': 'f'.repeat(32), 'api-token': stage.description.cloudflare.adminToken }),
  'record-missing': stage => stage.run({ hostname: 'missing.example.com' }),
  'record-ambiguous': runAfter(stage => stage.setRecords({ content: before }, { content: '192.0.2.11' })),
  'record-conflict': runAfter(stage => stage.setRecords({ type: 'CNAME', content: 'other.example.com' })),
  'record-read-only': runAfter(stage => stage.setRecords({ content: before, meta: { read_only: true } })),
  'write-rejected': runAfter(stage => stage.setFaults({ match: onPut, answer: errors(400, 9005) })),
  'write-unconfirmed': runAfter(stage =>
    stage.setFaults({ match: onPut, times: null, answer: { kind: 'reset' } }),
  ),
  'not-served': stage => stage.run({ verify: 'dns', 'name-servers': '127.0.0.1:9', timeout: '10s' }),
  'rate-limited': runAfter(stage => stage.setFaults({ match: onList, times: null, answer: limited })),
  'service-unavailable': runAfter(stage =>
    stage.setFaults({ match: onList, times: null, answer: { kind: 'respond', status: 503 } }),
  ),
  'proxy-rejected': async stage => {
    const proxy = await startProxy('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const https_proxy = proxy.url.replace('//', '//operator:s3cret-pa55@')
    const inputs = { address: after, 'base-url': 'https://api.invalid' }
    const run = await stage.run(inputs, { env: { https_proxy }, unseenRequests: 1 })
    expect(run.annotations[0]?.message).toMatch(
      /the proxy requires a user name and password, or rejected them \(407\)/,
    )
    expect(run.raw).not.toContain('s3cret')
    proxy.close()
    return run
  },
  'tls-untrusted': async stage => {
    const authority = await createAuthority()
    const server = createServer(authority.issue('127.0.0.1'), () => undefined)
    const url = (await listen(server)).replace('http:', 'https:')
    const run = await stage.run({ address: after, 'base-url': url }, { unseenRequests: 1 })
    expect(run.annotations[0]?.message).toMatch(
      /SELF_SIGNED_CERT_IN_CHAIN.*NODE_EXTRA_CA_CERTS.*NODE_USE_SYSTEM_CA/,
    )
    server.close()
    return run
  },
  deadline: async stage => {
    // After it, less than a fifth of the time is left, which a write needs. On a busy machine, three seconds may pass before it.
    stage.setFaults({
      match: onList,
      answer: { kind: 'respond', status: 429, headers: { 'retry-after': '12' } },
    })
    return stage.run({ timeout: '15s' })
  },
  unexpected: async stage => {
    const seen: (string | undefined)[] = []
    const stranger = createWebServer((request, response) => {
      seen.push(request.url, request.headers.authorization)
      response.end('{}')
    })
    const location = await listen(stranger)
    stage.setFaults({ match: onList, answer: { kind: 'respond', status: 308, headers: { location } } })
    const run = await stage.run()
    expect(stage.dnsRequests()).toEqual([list])
    // A redirect would send the token along.
    expect(seen).toEqual([])
    stranger.close()
    return run
  },
}

for (const reason of reasons) {
  // The stage checks the title and the summary of every failure.
  scenario(`a run fails with ${reason}`, async ({ stage }) => {
    stage.setRecords({ content: before })
    stage.setEchoes(after)
    const run = await causes[reason](stage)
    expect(run.outputs).toMatchObject({ result: 'failed', reason })
  })
}
