import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { HttpOutcome } from '../../lib/exchange.ts'
import { frontAdvice } from '../../lib/in-front.ts'
import { createClock } from '../../push/clock.ts'
import type { Entry } from '../../push/handler.ts'
import { createWorkflowClock } from '../../push/workflow-clock.ts'
import type { GitHubDescription } from '../../sandbox/github/github.ts'
import { type Sandbox, type SandboxDescription, startSandbox } from '../../sandbox/sandbox.ts'
import { stateOf } from '../../sandbox/testing/state.ts'
import { response } from '../support/response.ts'
import { Sequence } from '../support/sequence.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { startClockWorker } from './started.ts'

const place = { owner: 'you', repository: 'dns', file: 'dns.yml' }
const root = 'https://api.github.com/repos/you/dns'
const dispatch = `POST ${root}/actions/workflows/dns.yml/dispatches`

/** Creates a clock, and answers its requests with these outcomes in turn. `tick` returns whether it started, and what it logs. */
function startClock(branch: string | null, ...outcomes: readonly HttpOutcome[]) {
  const asked: string[] = []
  let entries: readonly Entry[] = []
  const left = outcomes.values()
  const { clock, pass, sleptMs } = virtualClock()
  const tick = createWorkflowClock(
    { place: { ...place, branch }, token: 'github_pat_x' },
    {
      clock,
      async exchange({ method, url, headers, body = '' }) {
        expect(headers).toMatchObject({
          Authorization: 'Bearer github_pat_x',
          'X-GitHub-Api-Version': '2022-11-28',
        })
        asked.push(`${method} ${url} ${body}`.trim())
        return left.next().value ?? response('', { status: 204 })
      },
      log(entry) {
        entries = [...entries, entry]
      },
    },
  )
  return {
    asked,
    pass,
    sleptMs,
    async tick() {
      entries = []
      const isStarted = await tick()
      return { isStarted, entries }
    },
  }
}

const found = (name: string) => response({ default_branch: name })
const refused = (status: number, message: string | null = null) => response({ message }, { status })

const silence: HttpOutcome = { kind: 'failure', cause: 'timeout', detail: 'no response' }

describe('a tick', () => {
  const started = { level: 'info', event: 'clock' }
  const failed = (message: unknown) => ({
    isStarted: false,
    entries: [{ level: 'warning', event: 'clock', message }],
  })

  it('starts the workflow once, and asks for the default branch once', async () => {
    const { tick, asked } = startClock(null, found('trunk'))
    const message = 'Started dns.yml of you/dns on trunk'
    expect(await tick()).toEqual({ isStarted: true, entries: [{ ...started, message }] })
    await tick()
    const sent = `${dispatch} {"ref":"trunk"}`
    expect(asked).toEqual([`GET ${root}`, sent, sent])
  })

  it('finds a default branch that was renamed, at the next tick', async () => {
    const { tick } = startClock(null, found('trunk'), refused(422, 'No ref found for: trunk'), found('main'))
    const { isStarted, entries } = await tick()
    expect(isStarted).toBe(false)
    expect(entries).toMatchObject([
      { event: 'clock-refused', message: expect.stringMatching(/No ref found for: trunk/) },
    ])
    expect(await tick()).toMatchObject({
      isStarted: true,
      entries: [{ ...started, message: expect.stringMatching(/on main$/) }],
    })
  })

  it.each([
    [300, 'No', '300, "No". The repository was moved. Set WORKFLOW'],
    [401, 'No', '401, "No". The token has expired or'],
    [403, 'No', '403, "No". The token may not start workflows'],
    [404, null, '404. Compare WORKFLOW with the repository.'],
    [422, 'No', '422, "No". Enable the workflow.'],
  ])('says what to do at each firing if GitHub returns %i with %j', async (status, said, fix) => {
    const { tick, asked, sleptMs } = startClock('next', refused(status, said), refused(status, said))
    const message = expect.stringContaining(`It returned ${fix}`)
    for (let firing = 0; firing < 2; firing++)
      expect(await tick()).toEqual({
        isStarted: false,
        entries: [{ level: 'error', event: 'clock-refused', message }],
      })
    expect(asked).toEqual(Array(2).fill(`${dispatch} {"ref":"next"}`))
    expect(sleptMs).toEqual([])
  })

  it('says so if GitHub does not describe the repository', async () => {
    const { tick, asked } = startClock(null, response('<!doctype html>'))
    const { isStarted, entries } = await tick()
    expect(isStarted).toBe(false)
    expect(entries).toMatchObject([
      { level: 'error', event: 'clock-refused', message: expect.stringMatching(/default_branch/) },
    ])
    expect(asked).toHaveLength(1)
  })

  it.each<[string, HttpOutcome, string]>([
    ['limits the token in words', refused(403, 'API rate limit exceeded for user ID 1.'), '403'],
    ['limits requests', refused(429), '429'],
    [
      'is hidden behind a page',
      response('<html></html>', { status: 403, isFromFront: true }),
      `403 with a web page. ${frontAdvice}`,
    ],
  ])('sends nothing again if GitHub %s, and the next one works', async (_, outcome, status) => {
    const { tick, asked } = startClock('trunk', outcome)
    const message = `Could not start dns.yml of you/dns: GitHub returned ${status}. The next tick tries again.`
    expect(await tick()).toEqual(failed(message))
    expect(asked).toHaveLength(1)
    expect(await tick()).toMatchObject({ isStarted: true, entries: [started] })
  })

  it.each([403, 429, 503])('waits for Retry-After of %i, and each firing says so', async status => {
    const { tick, asked, pass } = startClock('trunk', response('', { status, retryAfterMs: 900_000 }))
    for (const leftS of [900, 600, 300]) {
      const message = expect.stringContaining(`${leftS} s`)
      expect(await tick()).toEqual(failed(message))
      pass(300_000)
    }
    expect(asked).toHaveLength(1)
    expect(await tick()).toMatchObject({ isStarted: true })
  })

  it('waits an hour at most: GitHub limits requests an hour', async () => {
    const { tick, pass } = startClock('trunk', response('', { status: 429, retryAfterMs: 90 * 86_400_000 }))
    expect(await tick()).toMatchObject({ isStarted: false })
    pass(3_600_000)
    expect(await tick()).toMatchObject({ isStarted: true })
  })

  const again = 'It is tried once more in 60 s.'
  it.each<[string, HttpOutcome, string, string?]>([
    ['fails', refused(500), 'GitHub returned 500'],
    [
      'fails and asks for half a minute',
      response('', { status: 503, retryAfterMs: 30_000 }),
      'GitHub returned 503',
      'Nothing is sent for another 30 s.',
    ],
    ['resets the connection', { kind: 'failure', cause: 'reset', detail: 'no response (x)' }, 'no response'],
    ['does not answer', silence, 'no response'],
  ])(
    'tries once more after a minute if GitHub %s',
    async (_, outcome, why, last = 'The next tick tries again.') => {
      const message = expect.stringMatching(
        `^Could not start dns.yml of you/dns: ${why}.*\\. ${again.replace('.', '\\.')}`,
      )
      const warning = { level: 'warning', event: 'clock', message }
      const cured = startClock('trunk', outcome)
      expect(await cured.tick()).toMatchObject({ isStarted: true, entries: [warning, started] })
      expect(cured.sleptMs).toEqual([60_000])

      const lasting = startClock('trunk', outcome, outcome)
      const { isStarted, entries } = await lasting.tick()
      expect(isStarted).toBe(false)
      expect(entries).toMatchObject([warning, { message: expect.stringContaining(` ${last}`) }])
      expect(lasting.asked).toHaveLength(2)
    },
  )

  it('leaves a record stale for 12 minutes at most in nine days of ten, if GitHub fails one request in ten', async () => {
    const days = 40
    const tickMs = 300_000
    const runMs = 30_000
    const failures = [refused(502), silence, { ...silence, cause: 'reset' as const }]
    /** The longest time from a change of the address to the run that writes it, in each day. */
    const staleMinutes = []
    for (let day = 0; day < days; day++) {
      const random = new Sequence(day)
      const { clock, pass } = virtualClock()
      const answered = async () => (random.chance(10) ? random.pick(failures) : response('', { status: 204 }))
      const context = { clock, exchange: answered, log: () => {} }
      const tick = createWorkflowClock({ place: { ...place, branch: 'trunk' }, token: 'x' }, context)
      let startedMs = 0
      let longestMs = 0
      for (let firing = 1; firing <= 86_400_000 / tickMs; firing++) {
        pass(firing * tickMs - clock.now())
        if (!(await tick())) continue
        longestMs = Math.max(longestMs, clock.now() - startedMs)
        startedMs = clock.now()
      }
      staleMinutes.push((longestMs + runMs) / 60_000)
    }
    const inNine = staleMinutes.toSorted((one, other) => one - other)[days * 0.9 - 1]
    expect(inNine).toBeLessThanOrEqual(12)
    expect(inNine).toBeGreaterThan(5)
  })
})

describe('a Worker with a cron trigger', () => {
  let sandbox: Sandbox<SandboxDescription & GitHubDescription>
  beforeAll(async () => {
    sandbox = await startSandbox({ github: true })
  })
  afterAll(() => sandbox.close())

  const token = () => sandbox.description.github.token
  const workflow = () => ({ WORKFLOW: 'homeport/homeport/dns.yml', WORKFLOW_TOKEN: token() })
  beforeEach(() => {
    sandbox.control.setFaults([])
    const workflows = { 'dns.yml': 'active' }
    const permissions = { token: { actions: 'write' } }
    sandbox.control.setState({ github: { workflows, branches: ['trunk'], dispatches: [], permissions } })
  })

  let worker: Awaited<ReturnType<typeof startClockWorker>>
  afterEach(() => worker.stop())
  /** Starts a Worker whose GitHub is the sandbox. */
  async function start(env: Readonly<Record<string, string>>): Promise<void> {
    worker = await startClockWorker(env, sandbox.description.github.baseUrl)
  }

  it('starts the workflow, and never shows its token', async () => {
    await start(workflow())
    expect(await worker.fire()).toBe('ok')
    const { dispatches } = stateOf(sandbox.control).github
    expect(dispatches).toMatchObject([{ workflow: 'dns.yml', branch: 'trunk' }])
    // GitHub could repeat the token, too.
    const errors = [{ message: `Bad credentials: ${token()}` }]
    const match = { service: 'github', method: 'POST' }
    sandbox.control.setFaults([{ match, answer: { kind: 'errors', status: 401, errors } }])
    expect(await worker.fire()).toBe('exception')
    await expect.poll(worker.output).toMatch(/clock-refused.*Bad credentials: \*\*\*/)
    expect(worker.output()).not.toContain(token())
  })
})

describe('the trigger of a Worker', () => {
  afterEach(() => vi.unstubAllGlobals())
  /** Fires the trigger of a Worker, to which GitHub answers so. Returns what it did, in order. */
  async function fire(worker: ReturnType<typeof createClock>, env: object, answer: () => Response) {
    const done: string[] = []
    vi.stubGlobal('fetch', async () => answer())
    vi.spyOn(console, 'log').mockImplementation(line => void done.push(String(line)))
    const noRetry = () => void done.push('noRetry')
    await worker.scheduled({ noRetry }, { ...env }).catch(error => void done.push(String(error)))
    return done
  }
  const env = { WORKFLOW: 'you/dns/dns.yml@trunk', WORKFLOW_TOKEN: 'github_pat_x' }
  const isSeen = ['noRetry', expect.stringMatching(/^Error: .*was not started/)]

  it('fails after its log line, and is not repeated, if GitHub refuses it or nothing can be sent', async () => {
    const unauthorized = () => new Response('{}', { status: 401 })
    expect(await fire(createClock(), env, unauthorized)).toEqual([
      expect.stringMatching(/clock-refused/),
      ...isSeen,
    ])
    const worker = createClock()
    const said = ['WORKFLOW', 'WORKFLOW_TOKEN'].map(name => expect.stringContaining(`"${name} is missing.`))
    for (let firing = 0; firing < 2; firing++)
      expect(await fire(worker, {}, unauthorized)).toEqual([...said, ...isSeen])
    // A runtime that repeats nothing need not have it.
    await expect(createClock().scheduled({}, {})).rejects.toThrow('was not started')
  })

  it('is no wrong token if a limit shows in the remaining requests alone, and fails until GitHub takes more', async () => {
    const reset = String(Math.ceil(Date.now() / 1000) + 1800)
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }
    const worker = createClock()
    let asked = 0
    for (let firing = 0; firing < 2; firing++) {
      const done = await fire(worker, env, () => {
        asked++
        return new Response('{"message":"Forbidden"}', { status: 403, headers })
      })
      expect(done).toEqual([expect.stringMatching(/"warning".*1[78]\d\d s\./), ...isSeen])
    }
    expect(asked).toBe(1)
  })
})
