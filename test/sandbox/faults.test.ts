import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Fault, FaultAnswer } from '../../sandbox/http/faults.ts'
import { stateOf } from '../../sandbox/testing/state.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()
const home = 'home.example.com'

const onList = (answer: FaultAnswer): Fault => ({ match: { method: 'GET', path: 'dns_records$' }, answer })

const list = () =>
  fetch(`${sandbox.at.cloudflare.apiUrl}${sandbox.records}?name=${home}`, {
    headers: { authorization: `Bearer ${sandbox.at.cloudflare.dnsToken}` },
  })

beforeEach(() => sandbox.control.clearJournal())
afterEach(() => sandbox.control.setFaults([]))

describe('a fault', () => {
  it('can return errors of the service', async () => {
    const errors = [{ code: 81044, message: 'Record does not exist.' }]
    const headers = { 'retry-after': '3' }
    sandbox.control.setFaults([onList({ kind: 'errors', status: 429, errors, headers })])
    const response = await list()
    expect(response.headers.get('retry-after')).toBe('3')
    expect(await response.json()).toEqual({ success: false, errors, messages: [], result: null })
  })

  it.each([true, false])('can lose the response of a write, with commit %s', async commit => {
    const { id, ...fields } = await sandbox.home()
    const content = commit ? '192.0.2.71' : '192.0.2.72'
    sandbox.control.setFaults([{ match: { method: 'PUT' }, commit, answer: { kind: 'reset' } }])
    await expect(
      sandbox.api('PUT', `${sandbox.records}/${id}`, { body: { ...fields, content } }),
    ).rejects.toThrow()
    expect((await sandbox.home()).content).toBe(commit ? content : fields.content)
  })

  it('can send the real answer in part, late, too long or with other fields', async () => {
    const whole = await (await list()).text()
    const answerTo = async (answer: FaultAnswer) => {
      sandbox.control.setFaults([onList(answer)])
      return (await list()).text()
    }
    expect(await answerTo({ kind: 'truncate', after: 9 })).toBe(whole.slice(0, 9))
    expect(JSON.parse(await answerTo({ kind: 'alter', body: { success: false, errors: null } }))).toEqual({
      ...JSON.parse(whole),
      success: false,
      errors: undefined,
    })
    expect(await answerTo({ kind: 'oversize', bytes: 50_000 })).toHaveLength(50_000)
    expect(await answerTo({ kind: 'drip', everyMs: 0 })).toBe(whole)
    await expect(answerTo({ kind: 'cut', after: 9 })).rejects.toThrow('terminated')
  })

  it('applies to matching requests only, after skip, for the given times', async () => {
    const answer: FaultAnswer = { kind: 'respond', status: 500 }
    sandbox.control.setFaults([
      { match: { method: 'PUT' }, times: null, answer },
      { ...onList(answer), skip: 1, times: 2 },
      { match: { service: 'echo', instance: 1 }, answer: { kind: 'respond', status: 503 } },
    ])
    const statuses = []
    for (const _ of Array(5)) statuses.push((await list()).status)
    expect(statuses).toEqual([200, 500, 500, 200, 200])
    const echoes = await Promise.all(sandbox.at.echo.map(url => fetch(url)))
    expect(echoes.map(({ status }) => status)).toEqual([200, 503, 200])
    expect(stateOf(sandbox.control).faults).toMatchObject([{ match: { method: 'PUT' }, times: null }])
  })

  it('is followed by the next one when it is used up', async () => {
    sandbox.control.setFaults([
      onList({ kind: 'respond', status: 500 }),
      onList({ kind: 'respond', status: 502 }),
    ])
    expect([(await list()).status, (await list()).status, (await list()).status]).toEqual([500, 502, 200])
  })
})
