import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { HttpOutcome } from '../../action/exchange.ts'
import type { Entry } from '../../push/handler.ts'
import { readEnvironment } from '../../push/secret-files.ts'
import { createWorkflowClock } from '../../push/workflow-clock.ts'
import type { GitHubDescription } from '../../sandbox/github/github.ts'
import { type Sandbox, type SandboxDescription, startSandbox } from '../../sandbox/sandbox.ts'
import { stateOf } from '../../sandbox/testing/state.ts'
import { response } from '../support/response.ts'
import { type Stage, startStage } from '../support/stage.ts'
import { first, home } from './endpoint.ts'
import { ask, type StartedWorker, setRecords, settingsOn, startWorker } from './started.ts'

const place = { owner: 'you', repository: 'dns', file: 'dns.yml' }
const root = 'https://api.github.com/repos/you/dns'
const dispatch = `POST ${root}/actions/workflows/dns.yml/dispatches`

/** Creates a clock, and answers its requests with these outcomes in turn. `tick` returns what it logs. */
function startClock(branch: string | null, ...outcomes: readonly HttpOutcome[]) {
  const asked: string[] = []
  let entries: readonly Entry[] = []
  const left = outcomes.values()
  const tick = createWorkflowClock(
    { ...place, branch, token: 'github_pat_x' },
    async ({ method, url, headers, body = '' }) => {
      expect(headers['Authorization']).toBe('Bearer github_pat_x')
      asked.push(`${method} ${url} ${body}`.trim())
      return left.next().value ?? response('', { status: 204 })
    },
    entry => {
      entries = [...entries, entry]
    },
  )
  return {
    asked,
    async tick() {
      entries = []
      await tick()
      return entries
    },
  }
}

const found = (name: string) => response({ default_branch: name })
const refused = (status: number, message: string | null = null) => response({ message }, { status })

describe('a tick', () => {
  const started = { level: 'info', event: 'clock' }

  it('starts the workflow once, and asks for the default branch once', async () => {
    const { tick, asked } = startClock(null, found('trunk'))
    expect(await tick()).toEqual([{ ...started, message: 'Started dns.yml of you/dns on trunk' }])
    await tick()
    const sent = `${dispatch} {"ref":"trunk"}`
    expect(asked).toEqual([`GET ${root}`, sent, sent])
  })

  it('finds a default branch that was renamed, at the next tick', async () => {
    const { tick } = startClock(null, found('trunk'), refused(422, 'No ref found for: trunk'), found('main'))
    expect(await tick()).toMatchObject([{ event: 'clock-refused', message: /No ref found for: trunk/ }])
    expect(await tick()).toMatchObject([{ ...started, message: /on main$/ }])
  })

  it.each([
    [300, 'No', '300, "No". The repository was moved. Set WORKFLOW'],
    [401, 'No', '401, "No". The token has expired or'],
    [403, 'No', '403, "No". The token may not start workflows'],
    [404, null, '404. Compare WORKFLOW with the repository.'],
    [422, 'No', '422, "No". Enable the workflow.'],
  ])('says what to do at each firing if GitHub returns %i with %j', async (status, said, fix) => {
    const { tick, asked } = startClock('next', refused(status, said), refused(status, said))
    const message = expect.stringContaining(`It returned ${fix}`)
    for (let firing = 0; firing < 2; firing++)
      expect(await tick()).toEqual([{ level: 'error', event: 'clock-refused', message }])
    expect(asked).toEqual(Array(2).fill(`${dispatch} {"ref":"next"}`))
  })

  it.each<[string, HttpOutcome, string]>([
    ['limits the token', response('', { status: 403, retryAfterMs: 60_000 }), 'GitHub returned 403'],
    [
      'limits the token in words',
      refused(403, 'API rate limit exceeded for user ID 1.'),
      'GitHub returned 403',
    ],
    ['limits requests', refused(429), 'GitHub returned 429'],
    ['fails', refused(500), 'GitHub returned 500'],
    ['does not answer', { kind: 'failure', cause: 'timeout', detail: 'no response' }, 'no response'],
  ])('sends nothing again if GitHub %s, and the next one works', async (_, outcome, why) => {
    const { tick, asked } = startClock('trunk', outcome)
    const message = `Could not start dns.yml of you/dns: ${why}. The next tick tries again.`
    expect(await tick()).toEqual([{ level: 'warning', event: 'clock', message }])
    expect(asked).toHaveLength(1)
    expect(await tick()).toMatchObject([started])
  })
})

describe('a Worker with a cron trigger', () => {
  let stage: Stage
  let sandbox: Sandbox<SandboxDescription & GitHubDescription>
  beforeAll(async () => {
    ;[stage, sandbox] = await Promise.all([startStage(), startSandbox({ github: true })])
  })
  afterAll(() => Promise.all([stage.close(), sandbox.close()]))

  const token = () => sandbox.description.github.token
  const workflow = () => ({ WORKFLOW: 'homeport/homeport/dns.yml', WORKFLOW_TOKEN: token() })
  const dispatches = () => stateOf(sandbox.control).github.dispatches
  beforeEach(() => {
    sandbox.control.setFaults([])
    const workflows = { 'dns.yml': 'active' }
    const permissions = { token: { actions: 'write' } }
    sandbox.control.setState({ github: { workflows, branches: ['trunk'], dispatches: [], permissions } })
  })

  let worker: StartedWorker
  afterEach(() => worker.stop())
  /** Starts a Worker whose GitHub is the sandbox. */
  async function start(env: Readonly<Record<string, string>>): Promise<void> {
    worker = await startWorker(env, { gitHub: sandbox.description.github.baseUrl })
  }

  it('starts the workflow, and keeps records', async () => {
    await setRecords(stage)
    await start({ ...(await settingsOn(stage)), ...workflow() })
    expect(await worker.fire()).toBe('ok')
    expect(dispatches()).toMatchObject([{ workflow: 'dns.yml', branch: 'trunk' }])
    const { body } = await ask(worker, `/nic/update?hostname=${home}&myip=${first}`)
    expect(body).toBe(`nochg ${first}\n`)
    // GitHub could repeat the token, too.
    const secrets = [token(), stage.description.cloudflare.dnsToken]
    const errors = [{ message: `Bad credentials: ${secrets}` }]
    const match = { service: 'github', method: 'POST' }
    sandbox.control.setFaults([{ match, answer: { kind: 'errors', status: 401, errors } }])
    expect(await worker.fire()).toBe('ok')
    await expect.poll(worker.output).toMatch(/clock-refused.*Bad credentials: \*\*\*,\*\*\*/)
    for (const secret of secrets) expect(worker.output()).not.toContain(secret)
  })

  it('is the clock alone without the settings of the endpoint, and knows no name', async () => {
    await start({ ...workflow(), PLAIN_HTTP: 'true' })
    expect(await worker.fire()).toBe('ok')
    expect(dispatches()).toHaveLength(1)
    expect(await ask(worker, '/health')).toMatchObject({ status: 200, body: 'up\n' })
    const answer = await ask(worker, `/nic/update?hostname=${home}&myip=${first}`)
    expect(answer).toMatchObject({ status: 401, body: 'badauth\n' })
  })

  it.each([
    ['is not set', {}, /A cron trigger fired, but WORKFLOW is not set\./g],
    ['is no path', { WORKFLOW: 'dns.yml', WORKFLOW_TOKEN: 'x' }, /WORKFLOW is \\"dns.yml\\"/g],
  ])('says what to do at each firing if WORKFLOW %s', async (_, change, said) => {
    await start({ ...(await settingsOn(stage)), ...change })
    for (let firing = 0; firing < 2; firing++) expect(await worker.fire()).toBe('ok')
    await expect.poll(() => worker.output().match(said)).toHaveLength(2)
  })
})

it('Node refuses the clock, which that machine has itself', () => {
  const reading = readEnvironment({ WORKFLOW: 'you/dns/dns.yml', WORKFLOW_TOKEN: 'github_pat_x' })
  const problems = 'problems' in reading ? reading.problems.join() : ''
  expect(problems).toContain('WORKFLOW is for the Worker only. This machine has a clock of its own')
  expect(problems).toContain('WORKFLOW_TOKEN is for the Worker only')
  expect(problems).not.toContain('github_pat_x')
})
