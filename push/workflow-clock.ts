import { explainFailure, type HttpResponse } from '../lib/exchange.ts'
import { frontAdvice } from '../lib/in-front.ts'
import { parseObject } from '../lib/json.ts'
import { quote } from '../lib/quote.ts'
import type { HandlerContext } from './handler.ts'
import { type ClockSettings, newWorkflowToken } from './workflow.ts'

/** Limits of one request. An attempt sends one, and two until it knows the default branch. */
const timeoutMs = 10_000
const maxBytes = 256 * 1024

/** When an attempt is repeated that can end otherwise in a moment. A trigger may run for 15 minutes (Cloudflare's limits). */
const againMs = 60_000
/** GitHub counts requests an hour (REST API, "Rate limits"), so a longer wait is not believed. */
const maxWaitMs = 3_600_000

/** Why an attempt did not start the workflow. */
interface Problem {
  /** `refused`: until somebody changes something. `limited`: for a while. `failed`: it may work in a moment. */
  readonly kind: 'refused' | 'limited' | 'failed'
  /** A sentence or two, without the last full stop if it passes. */
  readonly text: string
  /** How long GitHub asked to wait. */
  readonly waitMs: number
}

/**
 * Returns what starts a workflow at each tick, logs how GitHub answered, and returns whether the workflow was started. It never
 * throws. An attempt whose answer was lost can have started it: the repetition then starts a second run, which `concurrency`
 * holds back.
 */
export function createWorkflowClock(
  { place: { owner, repository, file, branch: chosen }, token }: ClockSettings,
  { exchange, clock, log }: Pick<HandlerContext, 'exchange' | 'clock' | 'log'>,
): () => Promise<boolean> {
  const name = `${file} of ${owner}/${repository}`
  const root = `https://api.github.com/repos/${owner}/${repository}`
  const headers = {
    Authorization: `Bearer ${token}`,
    Accept: 'application/vnd.github+json',
    'X-GitHub-Api-Version': '2022-11-28',
  }
  let branch = chosen
  let waitUntilMs = 0

  /** Returns the body of a success. */
  async function send(method: 'GET' | 'POST', path: string, sent = {}): Promise<string | Problem> {
    const outcome = await exchange({ method, url: root + path, headers, timeoutMs, maxBytes, ...sent })
    if (outcome.kind === 'failure') return { kind: 'failed', text: explainFailure(outcome), waitMs: 0 }
    const { status, body } = outcome
    const retryAfterMs = outcome.retryAfterMs ?? limitMs(outcome)
    if (status >= 200 && status < 300) return body
    const isLimit = status === 429 || (status === 403 && (retryAfterMs !== null || /rate limit/i.test(body)))
    const waitMs = Math.min(retryAfterMs ?? 0, maxWaitMs)
    if (isLimit || status >= 500)
      return { kind: isLimit ? 'limited' : 'failed', text: `GitHub returned ${status}`, waitMs }
    if (outcome.isFromFront)
      return { kind: 'limited', text: `GitHub returned ${status} with a web page. ${frontAdvice}`, waitMs: 0 }
    // The default branch may have another name now.
    if (status === 422) branch = chosen
    return refused(`${status}${saidIn(body)}. ${fixOf(status)}`)
  }

  /** Returns null if the workflow was started. */
  async function start(): Promise<Problem | null> {
    if (branch === null) {
      const found = await send('GET', '')
      if (typeof found !== 'string') return found
      branch = fieldIn(found, 'default_branch')
      if (branch === null) return refused('no default_branch. Add @branch to WORKFLOW.')
    }
    const path = `/actions/workflows/${encodeURIComponent(file)}/dispatches`
    const sent = await send('POST', path, { body: JSON.stringify({ ref: branch }) })
    return typeof sent === 'string' ? null : sent
  }

  function explain({ kind, text }: Problem, next: string): void {
    if (kind === 'refused')
      log({
        level: 'error',
        event: 'clock-refused',
        message: `GitHub does not start ${name}. It returned ${text}`,
      })
    else log({ level: 'warning', event: 'clock', message: `Could not start ${name}: ${text}. ${next}` })
  }

  return async () => {
    const leftMs = waitUntilMs - clock.now()
    if (leftMs > 0) {
      explain({ kind: 'limited', text: 'GitHub asked it to wait', waitMs: leftMs }, nextAfter(leftMs))
      return false
    }
    let problem = await start()
    if (problem?.kind === 'failed' && problem.waitMs <= againMs) {
      explain(problem, `It is tried once more in ${againMs / 1000} s.`)
      await clock.sleep(againMs)
      problem = await start()
    }
    if (problem) {
      waitUntilMs = clock.now() + problem.waitMs
      explain(problem, nextAfter(problem.waitMs))
      return false
    }
    log({ level: 'info', event: 'clock', message: `Started ${name} on ${branch}` })
    return true
  }
}

/**
 * Returns until when GitHub takes no request of this token. Its limits can lack Retry-After: `x-ratelimit-remaining` is 0 then,
 * until `x-ratelimit-reset`, in Unix seconds (REST API, "Rate limits").
 */
function limitMs({ header }: HttpResponse): number | null {
  if (header('x-ratelimit-remaining') !== '0') return null
  return Math.max(0, Number(header('x-ratelimit-reset')) * 1000 - Date.now()) || 0
}

const refused = (text: string): Problem => ({ kind: 'refused', text, waitMs: 0 })

function nextAfter(waitMs: number): string {
  return waitMs > 0
    ? `Nothing is sent for another ${Math.ceil(waitMs / 1000)} s.`
    : 'The next tick tries again.'
}

function fixOf(status: number): string {
  if (status === 401) return `The token has expired or was revoked. ${newWorkflowToken}`
  if (status === 403)
    return `The token may not start workflows, or its organization has not approved it. ${newWorkflowToken}`
  if (status === 422)
    return 'Enable the workflow. On its branch, it needs `on: workflow_dispatch` without required inputs.'
  if (status < 400) return 'The repository was moved. Set WORKFLOW to its new name.'
  return `Compare WORKFLOW with the repository. If it is right, the token is for another one. ${newWorkflowToken}`
}

/** Returns GitHub's own words, which name the cause of a 422. */
function saidIn(body: string): string {
  const message = fieldIn(body, 'message')
  return message === null ? '' : `, ${quote(message)}`
}

function fieldIn(body: string, name: string): string | null {
  const value = parseObject(body)?.[name]
  return typeof value === 'string' ? value : null
}
