import { describe, expect } from 'vitest'
import { startProxy } from '../../support/listen.ts'
import { metadata, type StepRun } from '../../support/runner.ts'
import { after, before, onList, onPut, type Stage, scenario } from '../../support/stage.ts'

describe('inputs', () => {
  scenario('are all named if they are all missing, before any request', async ({ stage }) => {
    const run = await stage.run({ 'api-token': '', hostname: '' })
    expect(run.status).toBe(1)
    expect(run.outputs).toMatchObject({
      result: 'failed',
      reason: 'invalid-input',
      requests: '0',
      records: '[]',
    })
    for (const name of ['api-token', 'hostname']) expect(run.annotations[0]?.message).toContain(name)
    expect(await stage.journal()).toEqual([])
  })

  scenario('refuse a token with a line break inside without showing it', async ({ stage }) => {
    const words = [`cfut_${'d'.repeat(20)}`, 'e'.repeat(20)]
    const run = await stage.run({ 'api-token': words.join('\n') })
    expect(run.outputs['reason']).toBe('invalid-input')
    for (const secret of words) {
      expect(run.rawWithoutMasks).not.toContain(secret)
      expect(run.files).not.toContain(secret)
    }
    expect(await stage.journal()).toEqual([])
  })

  scenario('that contain a token by mistake do not show it', async ({ stage }) => {
    const token = `cfut_${'m1X3d_'.repeat(8)}`
    const run = await stage.run({ 'zone-id': token, hostname: `home.example.com ${token}` })
    expect(run.annotations[0]?.message).toMatch(/zone-id is "\*\*\*"/)
    expect(`${run.raw}${run.files}`).not.toContain(token.slice(0, 12))
  })
})

describe('an HTTP proxy', () => {
  scenario('is used, and receives no credential', async ({ stage }) => {
    const proxy = await startProxy('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const run = await stage.run(
      { 'base-url': 'https://dns.invalid', address: after },
      { env: { https_proxy: proxy.url }, unseenRequests: 3 },
    )
    expect(run.outputs['reason']).toBe('service-unavailable')
    expect(proxy.seen).toEqual(Array(3).fill('CONNECT dns.invalid:443 undefined'))
    proxy.close()
  })

  for (const [name, answer] of [
    ['that never answers CONNECT', ''],
    ['whose tunnel never answers', 'HTTP/1.1 200 Connection established\r\n\r\n'],
  ] as const) {
    scenario(`${name} cannot delay the run beyond its deadline`, async ({ stage }) => {
      const proxy = await startProxy(answer)
      const started = performance.now()
      const run = await stage.run(
        { 'base-url': 'https://dns.invalid', address: after, timeout: '6s' },
        { env: { https_proxy: proxy.url }, unseenRequests: 3 },
      )
      expect(run.outputs).toMatchObject({ result: 'failed', reason: 'service-unavailable' })
      expect(run.annotations[0]?.message).toContain('no complete response within 1.2 s')
      expect(performance.now() - started).toBeLessThan(12_000)
      expect(proxy.seen).toHaveLength(3)
      proxy.close()
    })
  }
})

describe('the token', () => {
  scenario('is masked from the first line on, in every form', async ({ stage }) => {
    await stage.setRecords({ content: after })
    const { dnsToken } = stage.description.cloudflare
    const { raw } = await stage.run()
    expect(raw.split('\n')[0]).toBe(`::add-mask::${dnsToken}`)
    expect(raw).toContain(`::add-mask::${Buffer.from(dnsToken).toString('base64').slice(0, -4)}`)
  })

  function expectUnseen(run: StepRun, token: string): void {
    expect(`${run.rawWithoutMasks}\n${run.files}\n${run.log}`).not.toContain(token)
  }
  /** What a service may make of the token that it received. */
  const reflections: readonly ((token: string) => string)[] = [
    token => `bad header Bearer ${token}`,
    // Where a quotation is truncated.
    token => `${'x'.repeat(130)} ${token}`,
    token => `?token=${encodeURIComponent(token).toLowerCase()}&${encodeURIComponent(token)}`,
    token => JSON.stringify({ authorization: `Bearer ${token}` }),
    token => Buffer.from(token).toString('base64'),
    token => Buffer.from(`Bearer ${token}`).toString('base64'),
    token => Buffer.from(`authorization: Bearer ${token}\r\n`).toString('base64url'),
  ]

  scenario('never appears if the service reflects it, in any form', async ({ stage }) => {
    for (const token of [stage.description.cloudflare.dnsToken, `q7z/_${'k%2Y+9*'.repeat(5)}`]) {
      const errors = reflections.map((form, index) => ({ code: 9990 + index, message: form(token) }))
      await stage.setFaults({ match: onList, answer: { kind: 'errors', status: 400, errors } })
      const run = await stage.run({ 'api-token': token })
      expect(run.outputs['reason']).toBe('unexpected')
      const quotations = (run.annotations[0]?.message ?? '').split(/(?=code 999\d )/).slice(1)
      expect(quotations).toHaveLength(errors.length)
      for (const quotation of quotations) expect(quotation).toContain('***')
      expect(run.outputs['records']).toContain('***')
      expectUnseen(run, token)
      for (const encoded of [token, `Bearer ${token}`].map(text => Buffer.from(text).toString('base64'))) {
        expect(`${run.rawWithoutMasks}${run.files}`).not.toContain(encoded.slice(12, 24))
      }
    }
  })

  scenario('never appears if a record contains it', async ({ stage }) => {
    const { dnsToken } = stage.description.cloudflare
    await stage.setRecords({ type: 'TXT', content: dnsToken, comment: dnsToken })
    await stage.setFaults({ match: onList, answer: { kind: 'alter', result: { type: `T ${dnsToken}` } } })
    const run = await stage.run()
    expect(run.outputs['reason']).toBe('record-missing')
    expectUnseen(run, dnsToken)
  })
})

describe('addresses', () => {
  const [before, after] = ['198.18.0.10', '198.18.5.10']

  async function isMasked(stage: Stage, env: Record<string, string>, mode: string): Promise<boolean> {
    await stage.setRecords({ content: before })
    await stage.setEchoes(after)
    const run = await stage.run({ 'mask-address': mode }, { env })
    const shown = [before, after].filter(
      address => run.log.includes(address) || run.summary.includes(address),
    )
    expect(run.outputs['address']).toBe(after)
    return shown.length === 0
  }

  scenario('are masked in log and summary unless mask-address says otherwise', async ({ stage }) => {
    expect(await isMasked(stage, {}, 'auto')).toBe(true)
    expect(await isMasked(stage, {}, 'true')).toBe(true)
    expect(await isMasked(stage, {}, 'false')).toBe(false)
  })

  scenario('are masked in answers that are not one address', async ({ stage }) => {
    const bodies = ['Your IP\n198.18.5.1', '198.018.005.001', 'ip=2001:ABC:0:0:1:2:3:5\n']
    await stage.setRecords({ content: before })
    await stage.setEchoes(...bodies.map(body => ({ body })))
    const run = await stage.run({ 'mask-address': 'true' })
    expect(run.outputs['reason']).toBe('address-unavailable')
    const message = run.annotations[0]?.message ?? ''
    const shown = `${run.log}${run.rawWithoutMasks}${run.summary.replaceAll('\\', '')}${message}`
    expect(message.split('***').length - 1).toBeGreaterThanOrEqual(3)
    expect(shown).not.toMatch(/198\.0?18|18\.5|5\.0?0?1|2001|abc/i)
    expect(run.summary).toContain('127.0.0.1')
  })

  scenario('are masked in remote messages and where a quotation is truncated', async ({ stage }) => {
    const message = `${'x'.repeat(150)} 198.18.5.1 and 2001:abc::5`
    await stage.setFaults({
      match: onList,
      answer: { kind: 'errors', status: 400, errors: [{ code: 1, message }] },
    })
    const run = await stage.run({ 'mask-address': 'true' })
    expect(run.outputs['reason']).toBe('unexpected')
    expect(`${run.log}${run.summary}`).not.toMatch(/ (198|2001)/)
  })

  scenario('are shown in messages about inputs, as GitHub shows the inputs themselves', async ({ stage }) => {
    const run = await stage.run({ address: '198.18.5.1/32', 'mask-address': 'true' })
    expect(run.annotations[0]?.message).toContain('address is "198.18.5.1/32"')
    expect(run.annotations[0]?.message).toContain('such as 198.51.100.7')
  })

  scenario('that are masked cannot be passed to other jobs, as documented', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setEchoes(after)
    const masks = (raw: string) => [...raw.matchAll(/^::add-mask::(.+)$/gm)].map(([, mask = '']) => mask)
    const outputsWithoutMask = async (mode: string) => {
      const { outputs, raw } = await stage.run({ 'mask-address': mode, 'dry-run': 'true' })
      return Object.keys(outputs).filter(name => !masks(raw).some(mask => outputs[name]?.includes(mask)))
    }
    expect(await outputsWithoutMask('true')).toEqual(
      Object.keys(metadata.outputs).filter(
        name => !['address', 'previous-address', 'records'].includes(name),
      ),
    )
    expect(await outputsWithoutMask('false')).toEqual(Object.keys(metadata.outputs))
  })
})

describe('the runner', () => {
  scenario('gets a result without a summary file', async ({ stage }) => {
    await stage.setRecords({ content: before })
    const run = await stage.run({}, { env: { GITHUB_STEP_SUMMARY: undefined } })
    expect(run.status).toBe(0)
    expect(run.outputs['result']).toBe('updated')
  })

  scenario('gets a result and a warning if the summary cannot be written', async ({ stage }) => {
    await stage.setRecords({ content: before })
    const run = await stage.run({}, { env: { GITHUB_STEP_SUMMARY: '/nonexistent/summary' } })
    expect(run.status).toBe(0)
    expect(run.outputs['result']).toBe('updated')
    expect(run.annotations).toMatchObject([
      {
        level: 'warning',
        title: 'Homeport',
        message: 'Failed to write the job summary (ENOENT). The result is not affected.',
      },
    ])
  })

  scenario('gets a failed run if the output file is missing', async ({ stage }) => {
    await stage.setRecords({ content: before })
    const run = await stage.run({}, { env: { GITHUB_OUTPUT: '/nonexistent/output' } })
    expect(run.status).toBe(1)
    expect(run.outputs).toEqual({})
    expect(run.annotations).toMatchObject([
      {
        level: 'error',
        title: 'Homeport',
        message: expect.stringMatching(
          /^Failed to write the outputs \(.*The result is updated; the log shows/,
        ),
      },
    ])
    expect(run.log).toContain(`${before} -> ${after}, updated`)
    expect(run.log).not.toMatch(/may have written|not known/)
    expect(run.summary).toContain('updated')
  })

  scenario('gets a failed run and an error if it cancels during a write', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setFaults({ match: onPut, answer: { kind: 'stall', at: 'before-headers' } })
    const condition = stage.received('PUT')
    const run = await stage.run({ timeout: '60s' }, { cancelWhen: { signal: 'SIGINT', condition } })
    expect(run.status).toBe(1)
    expect(run.outputs).toEqual({})
    expect(run.annotations).toMatchObject([
      { level: 'error', message: expect.stringContaining('ended without a result') },
    ])
  })
})
