import { CommandError } from '../../lib/command.ts'
import type { StackState } from '../exported-state.ts'
import { connectGitHub, reasonOf } from '../http.ts'
import { fieldOf, textOf } from '../json.ts'
import { daysAfter, noticeDays } from '../settings/readers/credentials.ts'
import { readRepository } from '../settings/readers/repository.ts'
import type { StackSettings } from '../settings/stack-settings.ts'
import { expiringCredentials } from './expiry.ts'
import { gitHubReader } from './reader.ts'

/** What an issue says. It contains no text from a service. */
export interface Notice {
  /** The same for the same stack, so that the issue is found again. */
  readonly title: string
  /** Null if there is nothing to say. It names days, not how many are left, so that it changes only if a credential does. */
  readonly body: string | null
  /** What the issue is about. */
  readonly about: string
  /** Why there is nothing to say, as a clause. */
  readonly none: string
}

/** Returns the notice about a stack's credentials that have expired or expire soon. */
export function expiryNotice(stack: string, settings: StackSettings, state: StackState, now: number): Notice {
  const title = `Homeport: credentials of stack ${stack} expire soon`
  const says = { title, about: 'these credentials', none: `no credential expires within ${noticeDays} days.` }
  const lines = expiringCredentials(settings, state, now).map(({ name, endsOn, fix }) => {
    const verb = Date.parse(endsOn) <= now ? 'expired' : 'expires'
    return `- ${name} ${verb} on ${endsOn.slice(0, 10)}. ${fix}`
  })
  if (lines.length === 0) return { ...says, body: null }
  return {
    ...says,
    body: `${lines.join('\n')}\n\ndocs/operate.md says more, under "Rotate credentials of a stack". The nightly run edits this issue, and closes it when nothing expires within ${noticeDays} days.\n`,
  }
}

/**
 * Connects to the repository of this run.
 * @returns a function that opens, edits, reopens or closes the one issue with a title that is not a stranger's, and says what it
 *   did; null if that was nothing. It leaves an issue closed that somebody closed, until there is something else to say
 * @throws CommandError if a variable is missing, and from the returned function if a request to GitHub fails
 */
export function keepIssue(env: NodeJS.ProcessEnv): (notice: Notice) => Promise<string | null> {
  const { HOMEPORT_ISSUE_TOKEN: token, GITHUB_REPOSITORY: repository = '' } = env
  if (!token) throw new CommandError('--issue needs HOMEPORT_ISSUE_TOKEN: a GitHub token with issues: write.')
  if ('problems' in readRepository(repository)) {
    throw new CommandError('--issue needs GITHUB_REPOSITORY: the owner and name of the repository.')
  }
  const path = `/repos/${repository}/issues`
  const reader = gitHubReader(env, 'HOMEPORT_ISSUE_TOKEN')

  async function find(title: string, filter: Readonly<Record<string, string>>): Promise<unknown> {
    const query = `${path}?${new URLSearchParams(filter)}`
    const issues = await reader.all(query, 'the issues')
    // GitHub lists pull requests, too.
    return issues.find(
      one => fieldOf(one, 'title') === title && fieldOf(one, 'pull_request') === undefined && isTrusted(one),
    )
  }

  async function send(number: unknown, json: object): Promise<unknown> {
    const [method, to] =
      number === null ? (['POST', path] as const) : (['PATCH', `${path}/${number}`] as const)
    const answer = await connectGitHub(env, token ?? '')(to, { method, json })
    if (answer.status === 200 || answer.status === 201) return fieldOf(answer.body, 'number')
    const fix =
      answer.status === null
        ? ''
        : ' Check that HOMEPORT_ISSUE_TOKEN has issues: write for GITHUB_REPOSITORY.'
    throw new CommandError(`Could not keep the issue: ${reasonOf(answer, 'GitHub')}.${fix}`)
  }

  return async ({ title, body, about, none }) => {
    const since = new Date(daysAfter(Date.now(), -noticeDays - 1)).toISOString()
    const issue = (await find(title, { state: 'open' })) ?? (await find(title, { state: 'closed', since }))
    const [number, isOpen] = [fieldOf(issue, 'number') ?? null, fieldOf(issue, 'state') === 'open']
    if (body === null) {
      if (!isOpen) return null
      // The next notice then differs, and opens the issue again.
      await send(number, { state: 'closed', body: `${none.slice(0, 1).toUpperCase()}${none.slice(1)}\n` })
      return `Closed issue ${number}: ${none}`
    }
    if (number === null) return `Opened issue ${await send(null, { title, body })}: ${title}`
    if (plain(textOf(issue, 'body')) === plain(body))
      return `Issue ${number} is about ${about}.${isOpen ? '' : ' Somebody closed it.'}`
    await send(number, { state: 'open', body })
    return isOpen
      ? `Edited issue ${number}, which is about ${about}.`
      : `Opened issue ${number} again: it is about ${about}.`
  }
}

/** What GitHub says of an author who may write to the repository. */
const writers = ['OWNER', 'MEMBER', 'COLLABORATOR']

/** Whether a workflow of this repository or a person who may write to it opened an issue. In a public one, anybody can open one. */
function isTrusted(issue: unknown): boolean {
  const author = fieldOf(issue, 'user')
  // Nobody can register a name with brackets.
  const isWorkflow = textOf(author, 'login') === 'github-actions[bot]' && textOf(author, 'type') === 'Bot'
  return isWorkflow || writers.includes(textOf(issue, 'author_association') ?? '')
}

/** GitHub's editor changes the ends of lines. */
const plain = (text: string | null): string => (text ?? '').replaceAll('\r', '').trim()
