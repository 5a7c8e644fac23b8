import { type HttpAnswer, reasonOf } from '../../http.ts'
import { fieldOf, listOf } from '../../json.ts'
import { Refusal } from '../../program.ts'
import { daysAfter } from '../../settings/readers.ts'
import type { StackSettings } from '../../settings/stack-settings.ts'
import { connectGitHub } from '../clients/github.ts'
import { expiringCredentials, noticeDays } from '../expiry.ts'

/** What an issue says. It contains no text from a service. */
export interface Notice {
  /** The same for the same stack, so that the issue is found again. */
  readonly title: string
  /** Null if there is nothing to say. It names days, not how many are left, so that it changes only if a credential does. */
  readonly body: string | null
}

/** Returns the notice about a stack's credentials that have expired or expire soon. */
export function expiryNotice(stack: string, settings: StackSettings, now: number): Notice {
  const title = `Homeport: credentials of stack ${stack} expire soon`
  const lines = expiringCredentials(settings, now).map(({ name, endsOn, fix }) => {
    const verb = Date.parse(endsOn) <= now ? 'expired' : 'expires'
    return `- ${name} ${verb} on ${endsOn.slice(0, 10)}. ${fix}`
  })
  if (lines.length === 0) return { title, body: null }
  return {
    title,
    body: `${lines.join('\n')}\n\ndocs/operate.md says more, under "Rotate credentials of a stack". The nightly run edits this issue, and closes it when nothing expires within ${noticeDays} days.\n`,
  }
}

/** The issue with a title. */
interface Issue {
  readonly number: number
  readonly isOpen: boolean
  readonly body: string
}

const perPage = 100
/** More than a repository has open, or gets while a notice is due. */
const maxPages = 50

/**
 * Connects to the repository of this run.
 * @returns a function that opens, edits, reopens or closes the one issue with a title, and says what it did; null if that
 *   was nothing. It leaves an issue closed that somebody closed, until there is something else to say
 * @throws Refusal if a variable is missing; the function throws it if GitHub refuses
 */
export function keepIssue(env: NodeJS.ProcessEnv): (notice: Notice) => Promise<string | null> {
  const { HOMEPORT_ISSUE_TOKEN: token, GITHUB_REPOSITORY: repository } = env
  if (!token) throw new Refusal('--issue needs HOMEPORT_ISSUE_TOKEN: a GitHub token with issues: write.')
  if (!repository || !isRepository.test(repository)) {
    throw new Refusal('--issue needs GITHUB_REPOSITORY: the owner and name of the repository.')
  }
  const gitHub = connectGitHub(env, token)
  const path = `/repos/${repository}/issues`

  async function find(title: string, filter: Readonly<Record<string, string>>): Promise<Issue | null> {
    for (let page = 1; page <= maxPages; page += 1) {
      const query = new URLSearchParams({ ...filter, per_page: `${perPage}`, page: `${page}` })
      const answer = await gitHub(`${path}?${query}`)
      if (answer.status !== 200 || !Array.isArray(answer.body)) throw refusalOf('list', answer)
      const found = listOf(answer.body).find(
        issue => fieldOf(issue, 'title') === title && fieldOf(issue, 'pull_request') === undefined,
      )
      if (found !== undefined) {
        return {
          number: Number(fieldOf(found, 'number')),
          isOpen: fieldOf(found, 'state') === 'open',
          body: String(fieldOf(found, 'body') ?? ''),
        }
      }
      if (answer.body.length < perPage) return null
    }
    throw new Refusal('There are too many issues to find one by its title, so none was opened.')
  }

  async function send(verb: string, issue: Issue | null, json: object): Promise<number> {
    const answer = await gitHub(issue === null ? path : `${path}/${issue.number}`, {
      method: issue === null ? 'POST' : 'PATCH',
      json,
    })
    if (answer.status !== (issue === null ? 201 : 200)) throw refusalOf(verb, answer)
    return Number(fieldOf(answer.body, 'number'))
  }

  return async ({ title, body }) => {
    const since = new Date(daysAfter(Date.now(), -noticeDays - 1)).toISOString()
    const issue = (await find(title, { state: 'open' })) ?? (await find(title, { state: 'closed', since }))
    const none = `no credential expires within ${noticeDays} days.`
    if (body === null) {
      if (!issue?.isOpen) return null
      // The next notice then differs, and opens the issue again.
      const said = `N${none.slice(1)}\n`
      await send('close', issue, { state: 'closed', body: said })
      return `Closed issue ${issue.number}: ${none}`
    }
    if (issue === null) return `Opened issue ${await send('open', null, { title, body })}: ${title}`
    const about = `is about these credentials.`
    if (isSame(issue.body, body))
      return `Issue ${issue.number} ${about}${issue.isOpen ? '' : ' Somebody closed it.'}`
    await send('edit', issue, { state: 'open', body })
    return issue.isOpen
      ? `Edited issue ${issue.number}, which ${about}`
      : `Opened issue ${issue.number} again: it ${about}`
  }
}

/** What GITHUB_REPOSITORY may be, since it becomes part of a path. */
export const isRepository = /^[\w.-]+\/[\w.-]+$/

/** GitHub's editor changes the ends of lines. */
function isSame(one: string, other: string): boolean {
  const plain = (text: string) => text.replaceAll('\r', '').trim()
  return plain(one) === plain(other)
}

function refusalOf(verb: string, answer: HttpAnswer): Refusal {
  const reason = reasonOf(answer, 'GitHub')
  return new Refusal(
    `Could not ${verb} issues: ${reason}. Check that HOMEPORT_ISSUE_TOKEN has issues: write for GITHUB_REPOSITORY.`,
  )
}
