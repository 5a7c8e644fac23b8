import { createServer } from 'node:http'
import { describe, expect } from 'vitest'
import { listen } from '../../support/listen.ts'
import { after, before, list, put, type Stage, scenario } from '../../support/stage.ts'

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

  scenario('does not keep two others from reaching the quorum', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    await stage.setEchoes(after, { body: `<html>198.51.100.1</html>`, contentType: 'text/html' }, after)
    const run = await stage.run()
    expect(run.outputs).toMatchObject({ result: 'updated', address: after })
    expect(run.summary).toContain('no vote')
    expect(await stage.dnsRequests()).toEqual([list, put(record)])
  })
})

describe('an address that no record may hold', () => {
  const inputs = { 'allow-reserved-address': 'false' }
  const address = '192.168.1.20'
  const reason = 'address-not-public'

  scenario('is refused even if every source agrees', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setEchoes(address)
    const run = await stage.run(inputs)
    expect(run.outputs).toMatchObject({ result: 'failed', reason, changed: 'false', address: '' })
    await expectNothingWritten(stage)
  })

  scenario('is refused before any request if the caller passes it', async ({ stage }) => {
    const run = await stage.run({ ...inputs, address })
    expect(run.outputs).toMatchObject({ result: 'failed', reason, requests: '0' })
    expect(await stage.journal()).toEqual([])
  })

  scenario('is not one inside expected-cidr', async ({ stage }) => {
    await stage.setRecords({ content: before })
    const run = await stage.run({ 'expected-cidr': '198.51.100.0/24\n203.0.113.0/24' })
    expect(run.outputs['result']).toBe('updated')
  })

  scenario('is not a public one', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setEchoes('8.8.8.8\n')
    const run = await stage.run({ 'allow-reserved-address': 'false' })
    expect(run.outputs).toMatchObject({ result: 'updated', address: '8.8.8.8' })
  })
})

describe('the quorum', () => {
  scenario('outvotes one dissenter and names it', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setEchoes(after, '198.51.100.1', after)
    const run = await stage.run()
    expect(run.outputs).toMatchObject({ result: 'updated', address: after })
    expect(run.annotations).toMatchObject([
      { level: 'warning', message: expect.stringContaining('198.51.100.1') },
    ])
  })

  scenario('waits briefly for a dissenter', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setEchoes(after, after, { body: '198.51.100.1', delayMs: 100 })
    const run = await stage.run()
    expect(run.outputs['result']).toBe('updated')
    expect(run.annotations[0]?.message).toContain('198.51.100.1')
  })

  scenario('does not wait for a slow source', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setEchoes(after, after, { body: after, delayMs: 20_000 })
    const started = performance.now()
    const run = await stage.run()
    expect(run.outputs).toMatchObject({ result: 'updated', requests: '5' })
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(run.summary).toContain('not needed any more')
  })

  scenario('of all sources fails with one dissenter', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setEchoes(after, after, '198.51.100.1')
    expect((await stage.run({ quorum: '3' })).outputs['reason']).toBe('address-disagreement')
    await expectNothingWritten(stage)
  })

  scenario('is not reached when the sources stall', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setFaults({
      match: { service: 'echo' },
      times: null,
      answer: { kind: 'stall', at: 'after-headers', after: 3 },
    })
    const run = await stage.run({ timeout: '5s' })
    expect(run.outputs['reason']).toBe('address-unavailable')
    await expectNothingWritten(stage)
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
