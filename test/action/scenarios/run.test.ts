import { describe, expect } from 'vitest'
import { before, onPut, scenario } from '../../support/stage.ts'

scenario(
  'the token is masked from the first line on, in every form, and so are addresses',
  async ({ stage }) => {
    const addresses = ['198.18.0.10', '198.18.5.10'] as const
    stage.setRecords({ content: addresses[0] })
    stage.setEchoes(addresses[1])
    const { dnsToken } = stage.description.cloudflare
    const { raw, log, summary, outputs } = await stage.run({ 'mask-address': 'auto' })
    expect(raw.split('\n')[0]).toBe(`::add-mask::${dnsToken}`)
    expect(raw).toContain(`::add-mask::${Buffer.from(dnsToken).toString('base64').slice(0, -4)}`)
    for (const address of addresses) expect(log + summary).not.toContain(address)
    expect(outputs['address']).toBe(addresses[1])
  },
)

describe('the runner', () => {
  scenario('gets a result and a warning if the summary cannot be written', async ({ stage }) => {
    stage.setRecords({ content: before })
    const run = await stage.run({}, { env: { GITHUB_STEP_SUMMARY: '/nonexistent/summary' } })
    expect(run.status).toBe(0)
    expect(run.outputs['result']).toBe('updated')
    const message = expect.stringMatching(/^Failed to write the job summary \(ENOENT\)/)
    expect(run.annotations).toMatchObject([{ level: 'warning', title: 'Homeport', message }])
  })

  scenario('gets a failed run if the output file is missing', async ({ stage }) => {
    // Documentation addresses are never masked.
    stage.setRecords({ content: '198.18.0.10' })
    stage.setEchoes('198.18.5.10')
    const run = await stage.run({}, { env: { GITHUB_OUTPUT: '/nonexistent/output' } })
    expect(run.status).toBe(1)
    expect(run.outputs).toEqual({})
    const message = expect.stringMatching(/^Failed to write the outputs \(.*The result is updated/)
    expect(run.annotations).toMatchObject([{ level: 'error', title: 'Homeport', message }])
    expect(run.log).toContain('198.18.0.10 -> 198.18.5.10, updated')
    expect(run.log).not.toMatch(/may have written|not known/)
    expect(run.summary).toContain('updated')
  })

  scenario('gets a failed run and an error if it cancels during a write', async ({ stage }) => {
    stage.setRecords({ content: before })
    stage.setFaults({ match: onPut, answer: { kind: 'stall' } })
    const condition = stage.received('PUT')
    const run = await stage.run({ timeout: '60s' }, { cancelWhen: { signal: 'SIGINT', condition } })
    expect(run.status).toBe(1)
    expect(run.outputs).toEqual({})
    expect(run.annotations).toMatchObject([
      { level: 'error', message: expect.stringContaining('ended without a result') },
    ])
  })
})
