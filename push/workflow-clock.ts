import { type Exchange, explainFailure, type HttpOutcome } from '../action/exchange.ts'
import { quote } from '../action/text/quote.ts'
import { parseObject } from '../lib/json.ts'
import type { Entry } from './handler.ts'
import { newWorkflowToken, type Workflow } from './workflow.ts'

/** Limits of one request. A tick sends one, and two until it knows the default branch. */
const timeoutMs = 10_000
const maxBytes = 256 * 1024

/**
 * Returns what starts a workflow once, and logs how GitHub answered. It never throws and sends nothing again: the next tick
 * comes five minutes later.
 */
export function createWorkflowClock(
  { owner, repository, file, branch: chosen, token }: Workflow,
  exchange: Exchange,
  log: (entry: Entry) => void,
): () => Promise<void> {
  const name = `${file} of ${owner}/${repository}`
  const root = `https://api.github.com/repos/${owner}/${repository}`
  const headers = { Authorization: `Bearer ${token}`, Accept: 'application/vnd.github+json' }
  let branch = chosen

  /** Returns the body of a response that is a success; null after a line of the log. */
  async function send(method: 'GET' | 'POST', path: string, sent = {}): Promise<string | null> {
    const outcome = await exchange({ method, url: root + path, headers, timeoutMs, maxBytes, ...sent })
    const isResponse = outcome.kind === 'response'
    if (isResponse && outcome.status >= 200 && outcome.status < 300) return outcome.body
    const passing = explainPassing(outcome)
    if (passing !== null || !isResponse) {
      const message = `Could not start ${name}: ${passing}. The next tick tries again.`
      log({ level: 'warning', event: 'clock', message })
      return null
    }
    const { status, body } = outcome
    const message = `GitHub does not start ${name}. It returned ${status}${saidIn(body)}. ${fixOf(status)}`
    log({ level: 'error', event: 'clock-refused', message })
    // The default branch may have another name now.
    if (status === 422) branch = chosen
    return null
  }

  return async () => {
    branch ??= fieldIn((await send('GET', '')) ?? '', 'default_branch')
    if (branch === null) return
    const path = `/actions/workflows/${encodeURIComponent(file)}/dispatches`
    const started = await send('POST', path, { body: JSON.stringify({ ref: branch }) })
    if (started !== null) log({ level: 'info', event: 'clock', message: `Started ${name} on ${branch}` })
  }
}

/** Explains an outcome that may be another one at the next tick; null if it stays. GitHub's limits are 429, or 403. */
function explainPassing(outcome: HttpOutcome): string | null {
  if (outcome.kind === 'failure') return explainFailure(outcome)
  const { status, retryAfterMs, body } = outcome
  const isLimit = status === 429 || (status === 403 && (retryAfterMs !== null || /rate limit/i.test(body)))
  return isLimit || status >= 500 ? `GitHub returned ${status}` : null
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

/** Returns GitHub's own words, which tell the causes of a 422 apart. */
function saidIn(body: string): string {
  const message = fieldIn(body, 'message')
  return message === null ? '' : `, ${quote(message)}`
}

function fieldIn(body: string, name: string): string | null {
  const value = parseObject(body)?.[name]
  return typeof value === 'string' ? value : null
}
