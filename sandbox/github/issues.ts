import { created, failed, type GitHubAnswer, notFound, ok } from './answer.ts'
import { type GitHubCall, pageOf } from './call.ts'
import type { Issue, IssueAuthor, Repository } from './repository.ts'

const states = ['open', 'closed', 'all']
/** Returns an issue with the fields that Homeport reads. */
const issueView = ({ createdAt, updatedAt, isPullRequest, author, ...fields }: Issue) => ({
  ...fields,
  user: { login: author.login, type: author.type },
  author_association: author.association,
  ...(isPullRequest ? { pull_request: {} } : {}),
  created_at: createdAt,
  updated_at: updatedAt,
})

function listIssues(repository: Repository, { query }: GitHubCall): GitHubAnswer {
  const state = query.get('state') ?? 'open'
  if (!states.includes(state))
    // documented: Issues are listed newest first, among them the pull requests, which have a `pull_request`. `state` is open by
    // default, or closed or all. `since` keeps those that changed at that time or later. A page has 30 issues, or `per_page` up
    // to 100. [GitHub REST, issues and issue comments]
    return failed(422, `Validation Failed: state is ${state}.`)
  const since = Date.parse(query.get('since') ?? '1970-01-01')
  const found = repository.issues
    .filter(issue => state === 'all' || issue.state === state)
    .filter(({ updatedAt }) => Date.parse(updatedAt) >= since)
    .reverse()
  return ok(pageOf(found, query).map(issueView))
}

// documented: What a workflow does with its own token, github-actions[bot] did. Assumed: its `author_association` is NONE, as an app
// is no collaborator. [GitHub Actions, GITHUB_TOKEN; GitHub REST, issues and issue comments]
export const workflowAuthor: IssueAuthor = { login: 'github-actions[bot]', type: 'Bot', association: 'NONE' }

function createIssue(repository: Repository, { sent, now, token }: GitHubCall): GitHubAnswer {
  const { title, body = null } = sent
  if (typeof title !== 'string' || title === '') return failed(422, 'Validation Failed: title must be text.')
  const issue: Issue = {
    number: (repository.issues.at(-1)?.number ?? 0) + 1,
    title,
    body: typeof body === 'string' ? body : null,
    state: 'open',
    isPullRequest: false,
    author:
      token.holder === 'integration'
        ? workflowAuthor
        : { login: repository.owner, type: 'User', association: 'OWNER' },
    createdAt: now,
    updatedAt: now,
  }
  repository.issues.push(issue)
  // documented: POST returns 201 with the number of the issue. A request without a title gets 422. [GitHub REST, issues and issue
  // comments]
  return created(issueView(issue))
}

function updateIssue(issue: Issue, { sent, now }: GitHubCall): GitHubAnswer {
  const { title = issue.title, body = issue.body, state = issue.state } = sent
  if (typeof title !== 'string' || title === '' || (state !== 'open' && state !== 'closed')) {
    return failed(422, 'Validation Failed: title must be text, and state must be open or closed.')
  }
  Object.assign(issue, { title, body: typeof body === 'string' ? body : null, state, updatedAt: now })
  // documented: PATCH changes the title, body and state. Write access to issues is enough to close them. [GitHub REST, issues
  // and issue comments]
  return ok(issueView(issue))
}

/** Answers requests for …/issues and the path segments below. */
export function issuesAnswer(
  repository: Repository,
  call: GitHubCall,
  [number, area]: readonly string[],
): GitHubAnswer {
  const { method } = call
  if (number === undefined) {
    if (method === 'GET') return listIssues(repository, call)
    return method === 'POST' ? createIssue(repository, call) : notFound()
  }
  const issue = repository.issues.find(one => String(one.number) === number)
  // documented: A request for an issue that does not exist gets 404. [GitHub REST, issues and issue comments]
  if (issue === undefined || area !== undefined) return notFound()
  return method === 'PATCH' ? updateIssue(issue, call) : notFound()
}
