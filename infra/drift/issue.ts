import { daysAfter } from '../config-readers.ts'
import { gitHubApi } from '../github-api.ts'
import { exchange, type HttpAnswer } from '../http.ts'
import { fieldOf, listOf } from '../policy/rule.ts'
import { Refusal } from '../program.ts'
import type { Settings } from '../settings.ts'
import { expiringCredentials, noticeDays } from './expiry.ts'

/** An issue to open. It contains no text from a service. */
export interface Notice {
  /** The same for the same credentials, so that the issue is found again. */
  readonly title: string
  readonly body: string
}

/** Returns the notice about a stack's credentials that expire soon; null if none does. */
export function expiryNotice(stack: string, settings: Settings, now: number): Notice | null {
  const ending = expiringCredentials(settings, now)
  const [first] = ending
  if (first === undefined) return null
  const lines = ending.map(({ name, endsOn, cure }) => `- ${name} expires on ${endsOn.slice(0, 10)}. ${cure}`)
  return {
    title: `Homeport: rotate the credentials of stack ${stack} before ${first.endsOn.slice(0, 10)}`,
    body: `${lines.join('\n')}\n\ndocs/bootstrap.md says more, under "Rotate credentials". This issue is opened once; closing it changes nothing.\n`,
  }
}

const perPage = 100
/** More than a repository gets while a notice is due. */
const maxPages = 50

/**
 * Connects to the repository of this run.
 * @returns a function that opens an issue unless there is one with exactly its title, open or closed, and says what it did
 * @throws Refusal if a variable is missing; the function throws it if GitHub refuses
 */
export function openIssueOnce(env: NodeJS.ProcessEnv): (notice: Notice) => Promise<string> {
  const { HOMEPORT_ISSUE_TOKEN: token, GITHUB_REPOSITORY: repository } = env
  if (!token) throw new Refusal('--issue needs HOMEPORT_ISSUE_TOKEN: a GitHub token with issues: write.')
  if (!repository || !/^[\w.-]+\/[\w.-]+$/.test(repository)) {
    throw new Refusal('--issue needs GITHUB_REPOSITORY: the owner and name of the repository.')
  }
  const { root, headers } = gitHubApi(env, token)
  const url = `${root}/repos/${repository}/issues`

  async function numberOf(title: string): Promise<number | undefined> {
    const since = new Date(daysAfter(Date.now(), -noticeDays - 1)).toISOString()
    for (let page = 1; page <= maxPages; page += 1) {
      const query = new URLSearchParams({ state: 'all', since, per_page: `${perPage}`, page: `${page}` })
      const answer = await exchange(`${url}?${query}`, { headers })
      if (answer.status !== 200 || !Array.isArray(answer.body)) throw refusalOf('list', answer)
      const found = listOf(answer.body).find(
        issue => fieldOf(issue, 'title') === title && fieldOf(issue, 'pull_request') === undefined,
      )
      if (found !== undefined) return Number(fieldOf(found, 'number'))
      if (answer.body.length < perPage) return undefined
    }
    throw new Refusal('There are too many issues to find one by its title, so none was opened.')
  }

  return async ({ title, body }) => {
    const present = await numberOf(title)
    if (present !== undefined) return `Issue ${present} is about these credentials.`
    const answer = await exchange(url, { method: 'POST', headers, json: { title, body } })
    if (answer.status !== 201) throw refusalOf('open', answer)
    return `Opened issue ${Number(fieldOf(answer.body, 'number'))}: ${title}`
  }
}

function refusalOf(verb: string, answer: HttpAnswer): Refusal {
  const reason = answer.status === null ? answer.problem : `GitHub answered ${answer.status}`
  return new Refusal(
    `Could not ${verb} issues: ${reason}. Check that HOMEPORT_ISSUE_TOKEN has issues: write for GITHUB_REPOSITORY.`,
  )
}
