import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { exchange } from '../../push/exchange.ts'
import type { Entry } from '../../push/handler.ts'
import { readSettings } from '../../push/settings.ts'
import { createWorkflowClock } from '../../push/workflow-clock.ts'
import type { GitHubDescription } from '../../sandbox/github/github.ts'
import type { Fault, FaultAnswer } from '../../sandbox/http/faults.ts'
import { type Sandbox, type SandboxDescription, startSandbox } from '../../sandbox/sandbox.ts'
import { stateOf } from '../../sandbox/testing/state.ts'
import { type Stage, startStage } from '../support/stage.ts'
import { setRecords, settingsOn } from './cases.ts'
import { first, home } from './endpoint.ts'
import { ask, startNode, startWorker } from './started.ts'

let stage: Stage & { close(): Promise<void> }
let sandbox: Sandbox<SandboxDescription & GitHubDescription>
beforeAll(async () => {
  ;[stage, sandbox] = await Promise.all([startStage(), startSandbox({ github: true })])
})
afterAll(() => Promise.all([stage.close(), sandbox.close()]))

const repository = 'homeport/homeport'

const dispatches = () => stateOf(sandbox.control).github.dispatches
const setGitHub = (change: object) => sandbox.control.setState({ github: change })
const atSandbox = () => ({ gitHub: sandbox.description.github.baseUrl })
const token = () => sandbox.description.github.token
const write = { actions: 'write' }

beforeEach(() => {
  sandbox.control.setFaults([])
  setGitHub({
    workflows: { 'dns.yml': 'active', 'off.yml': 'disabled_manually', 'push.yml': 'active' },
    withoutDispatch: ['push.yml'],
    branches: ['trunk', 'next'],
    dispatches: [],
    permissions: { token: write },
  })
  sandbox.control.clearJournal()
})

/** Creates a clock in this process, whose GitHub is the sandbox. Returns what each tick logs. */
function clockOf(text = `${repository}/dns.yml`, given = token()): () => Promise<readonly Entry[]> {
  const reading = readSettings({ WORKFLOW: text, WORKFLOW_TOKEN: given })
  const workflow = 'value' in reading ? reading.value.workflow : null
  if (!workflow) throw new Error(JSON.stringify(reading))
  let entries: Entry[] = []
  const tick = createWorkflowClock(
    workflow,
    request => {
      const url = request.url.replace('https://api.github.com/', sandbox.description.github.baseUrl)
      return exchange({ ...request, url, timeoutMs: 500 })
    },
    entry => void entries.push(entry),
  )
  return async () => {
    entries = []
    await tick()
    return entries
  }
}

const asked = () => sandbox.control.journal().map(({ method, path }) => `${method} ${path}`)
const onGitHub = (answer: FaultAnswer, method = 'POST'): Fault => ({
  match: { service: 'github', method },
  answer,
})

describe('a tick', () => {
  const started = { level: 'info', event: 'clock' }

  it('starts the workflow once, and asks for the default branch once', async () => {
    const tick = clockOf()
    expect(await tick()).toEqual([{ ...started, message: 'Started dns.yml of homeport/homeport on trunk' }])
    await tick()
    expect(dispatches()).toMatchObject(Array(2).fill({ workflow: 'dns.yml', branch: 'trunk' }))
    const dispatch = `POST /repos/${repository}/actions/workflows/dns.yml/dispatches`
    expect(asked()).toEqual([`GET /repos/${repository}`, dispatch, dispatch])
  })

  it('starts it on the branch of the setting, and asks for none', async () => {
    expect(await clockOf(`${repository}/dns.yml@next`)()).toMatchObject([started])
    expect(dispatches()).toMatchObject([{ branch: 'next' }])
    expect(asked()).toHaveLength(1)
  })

  it('finds a default branch that was renamed, at the next tick but one', async () => {
    const tick = clockOf()
    await tick()
    setGitHub({ branches: ['main'] })
    expect(await tick()).toMatchObject([{ event: 'clock-refused', message: /No ref found for: trunk/ }])
    expect(await tick()).toMatchObject([{ ...started, message: /on main$/ }])
  })

  const refusals: readonly (readonly [
    what: string,
    place: string,
    given: string | null,
    change: object,
    message: RegExp,
  ])[] = [
    [
      'the token has ended',
      'dns.yml',
      'github_pat_other',
      {},
      /401, "Bad credentials"\. The token has expired or/,
    ],
    [
      'the token may only read',
      'dns.yml',
      null,
      { permissions: { token: { actions: 'read' } } },
      /403, "Resource not.* may not start workflows/,
    ],
    [
      'the file is not there',
      'other.yml',
      null,
      {},
      /404, "Not Found"\. Compare WORKFLOW with the repository\./,
    ],
    ['the workflow is disabled', 'off.yml', null, {}, /422, ".*disabled workflow"\. Enable the workflow\./],
    ['the workflow has no trigger', 'push.yml', null, {}, /422, ".*'workflow_dispatch' trigger"\./],
    ['the branch is not there', 'dns.yml@gone', null, {}, /422, "No ref found for: gone"\. .*On its branch/],
  ]
  it.each(refusals)('says what to do at each firing if %s', async (_, place, given, change, message) => {
    setGitHub(change)
    const tick = clockOf(`${repository}/${place}`, given ?? token())
    for (let firing = 0; firing < 2; firing++) {
      const entries = await tick()
      expect(entries).toEqual([
        { level: 'error', event: 'clock-refused', message: expect.stringMatching(message) },
      ])
      expect(JSON.stringify(entries)).not.toContain('github_pat_')
    }
    expect(dispatches()).toEqual([])
  })

  it('names a repository that was moved', async () => {
    sandbox.control.setFaults([
      onGitHub({ kind: 'respond', status: 307, headers: { location: '/elsewhere' } }),
    ])
    expect(await clockOf(`${repository}/dns.yml@trunk`)()).toMatchObject([
      { event: 'clock-refused', message: /307.* The repository was moved\. Set WORKFLOW/ },
    ])
  })

  it.each<[string, FaultAnswer, RegExp]>([
    ['limits the token', { kind: 'respond', status: 403, headers: { 'retry-after': '60' } }, /returned 403/],
    [
      'limits the token, and says so in words',
      { kind: 'errors', status: 403, errors: [{ message: 'API rate limit exceeded for user ID 1.' }] },
      /returned 403/,
    ],
    ['limits requests', { kind: 'respond', status: 429 }, /returned 429/],
    ['fails', { kind: 'respond', status: 500 }, /returned 500/],
    ['does not answer', { kind: 'stall' }, /no complete response within 0\.5 s/],
  ])('sends nothing again if GitHub %s, and the next one works', async (_, answer, message) => {
    sandbox.control.setFaults([onGitHub(answer)])
    const tick = clockOf(`${repository}/dns.yml@trunk`)
    expect(await tick()).toEqual([
      { level: 'warning', event: 'clock', message: expect.stringMatching(message) },
    ])
    expect(asked()).toHaveLength(1)
    expect(await tick()).toMatchObject([started])
  })
})

describe('a Worker with a cron trigger', () => {
  const workflow = () => ({ WORKFLOW: `${repository}/dns.yml`, WORKFLOW_TOKEN: token() })

  it('starts the workflow, and keeps records', async () => {
    await setRecords(stage)
    const env = { ...(await settingsOn(stage)), ...workflow() }
    const worker = await startWorker(env, atSandbox())
    expect(await worker.fire()).toBe('ok')
    expect(dispatches()).toMatchObject([{ workflow: 'dns.yml', branch: 'trunk' }])
    const { body } = await ask(worker, `/nic/update?hostname=${home}&myip=${first}`)
    expect(body).toBe(`nochg ${first}\n`)
    // GitHub could repeat the token, too.
    const message = `Bad credentials: ${token()}, ${stage.description.cloudflare.dnsToken}`
    sandbox.control.setFaults([onGitHub({ kind: 'errors', status: 401, errors: [{ message }] })])
    expect(await worker.fire()).toBe('ok')
    await expect.poll(worker.output).toMatch(/clock-refused.*Bad credentials: \*\*\*, \*\*\*/)
    for (const secret of [token(), stage.description.cloudflare.dnsToken])
      expect(worker.output()).not.toContain(secret)
    await worker.stop()
  })

  it('is the clock alone without the settings of the endpoint, and knows no name', async () => {
    const worker = await startWorker({ ...workflow(), PLAIN_HTTP: 'true' }, atSandbox())
    expect(await worker.fire()).toBe('ok')
    expect(dispatches()).toHaveLength(1)
    expect(await ask(worker, '/health')).toMatchObject({ status: 200, body: 'up\n' })
    expect(await ask(worker, `/nic/update?hostname=${home}&myip=${first}`)).toMatchObject({
      status: 401,
      body: 'badauth\n',
    })
    await worker.stop()
  })

  it('says what to do at each firing if WORKFLOW is not set, or no path', async () => {
    const none = await settingsOn(stage)
    const said = /A cron trigger fired, but WORKFLOW is not set\.|WORKFLOW is \\"dns.yml\\"/g
    for (const env of [none, { WORKFLOW: 'dns.yml', WORKFLOW_TOKEN: 'x' }]) {
      const worker = await startWorker(env, atSandbox())
      for (let firing = 0; firing < 2; firing++) expect(await worker.fire()).toBe('ok')
      await expect.poll(() => worker.output().match(said)).toHaveLength(2)
      await worker.stop()
    }
    expect(asked()).toEqual([])
  })
})

it('Node refuses the clock, which that machine has itself', async () => {
  const env = { ...(await settingsOn(stage)), WORKFLOW: `${repository}/dns.yml`, WORKFLOW_TOKEN: token() }
  const refused = await startNode(env).catch((error: Error) => error.message)
  expect(refused).toMatch(/WORKFLOW is for the Worker only\. This machine has a clock of its own/)
  expect(refused).toContain('WORKFLOW_TOKEN is for the Worker only')
  expect(refused).not.toContain(token())
})
