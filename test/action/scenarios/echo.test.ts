import { createServer } from 'node:http'
import { describe, expect } from 'vitest'
import { listen } from '../../support/listen.ts'
import { after, before, list, type Stage, scenario } from '../../support/stage.ts'

/** Expects the record as it was, and no request to the service except the list. */
async function expectNothingWritten(stage: Stage): Promise<void> {
  expect(await stage.dnsRequests()).toEqual([list])
  expect(await stage.records()).toMatchObject([{ content: before }])
}

describe('an echo service without a valid answer', () => {
  scenario('has no vote: an address sent as HTML, a long page, a redirect', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setEchoes(
      { body: after, contentType: 'text/html; charset=utf-8' },
      { body: after.padEnd(5000) },
      { body: '', status: 302, headers: { location: 'http://127.0.0.1:1/' } },
    )
    const run = await stage.run()
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'address-unavailable', address: '' })
    expect(run.annotations[0]?.message).toContain('Only 0 of 3 address sources returned an address')
    expect(await stage.echoRequests()).toEqual([1, 1, 1])
    await expectNothingWritten(stage)
  })
})

describe('the quorum', () => {
  scenario('does not wait for a slow source', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setEchoes(after, after, { body: after, delayMs: 20_000 })
    const started = performance.now()
    const run = await stage.run()
    expect(run.outputs).toMatchObject({ result: 'updated', requests: '5' })
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(run.summary).toContain('not needed any more')
  })
})

describe('workflow commands from an echo service', () => {
  scenario('are quoted, not executed', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setEchoes(
      { body: '::add-mask::failed' },
      { body: 'x\n##[error]x\n::set-env name=PATH::/x' },
      { body: `${after}\n::stop-commands::x\u001b[2J` },
    )
    const run = await stage.run()
    expect(run.outputs['reason']).toBe('address-unavailable')
    expect(run.log).toContain('failed')
    expect(run.raw).not.toMatch(/^::(add-mask::failed|set-env|stop-commands)/m)
    expect(run.raw).not.toContain('##[')
    expect(run.raw).not.toContain('\u001b')
  })
})

describe('requests to an echo service', () => {
  scenario('use IPv4, carry no credential and follow no redirect', async ({ stage }) => {
    await stage.setRecords({ content: before })
    const seen: unknown[] = []
    const stranger = createServer(({ url, socket, headers }, response) => {
      seen.push([url, socket.remoteFamily, headers.authorization])
      response.writeHead(302, { location: '/elsewhere' }).end()
    })
    const source = `${await listen(stranger, 'localhost')}/ip`
    const run = await stage.run({ 'address-sources': source }, { unseenRequests: 1 })
    expect(run.outputs['reason']).toBe('address-unavailable')
    expect(seen).toEqual([['/ip', 'IPv4', undefined]])
    stranger.close()
  })
})
