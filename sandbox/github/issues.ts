import { created, failed, type GitHubAnswer, notFound, ok } from './answer.ts'
import { type GitHubCall, pageIn } from './call.ts'
import { apiUrlOf, nodeId, userView, webUrlOf } from './fields.ts'
import type { Comment, Issue, Repository } from './repository.ts'

const states = ['open', 'closed', 'all']
const author = userView(41_898_282, 'github-actions[bot]', 'Bot')

function issueView(repository: Repository, issue: Issue) {
  const { comments, labels, createdAt, updatedAt, closedAt, isPullRequest, ...fields } = issue
  const url = `${apiUrlOf(repository)}/issues/${issue.number}`
  const webUrl = `${webUrlOf(repository)}/issues/${issue.number}`
  return {
    id: issue.number,
    node_id: nodeId('I', issue.number),
    url,
    repository_url: apiUrlOf(repository),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: webUrl,
    ...fields,
    ...(isPullRequest ? { pull_request: { html_url: webUrl } } : {}),
    state_reason: fields.state === 'closed' ? 'completed' : null,
    user: author,
    author_association: 'NONE',
    labels: labels.map((name, at) => ({
      id: at + 1,
      node_id: nodeId('LA', name),
      url: `${apiUrlOf(repository)}/labels/${encodeURIComponent(name)}`,
      name,
      color: 'ededed',
      default: false,
      description: null,
    })),
    assignee: null,
    assignees: [] as const,
    milestone: null,
    locked: false,
    active_lock_reason: null,
    comments: comments.length,
    created_at: createdAt,
    updated_at: updatedAt,
    closed_at: closedAt,
  }
}

const commentView = (repository: Repository, issue: Issue, { body, createdAt }: Comment, at: number) => ({
  id: at + 1,
  node_id: nodeId('IC', at + 1),
  url: `${apiUrlOf(repository)}/issues/comments/${at + 1}`,
  html_url: `${webUrlOf(repository)}/issues/${issue.number}#issuecomment-${at + 1}`,
  issue_url: `${apiUrlOf(repository)}/issues/${issue.number}`,
  body,
  user: author,
  author_association: 'NONE',
  created_at: createdAt,
  updated_at: createdAt,
})

function listIssues(repository: Repository, { query, url }: GitHubCall): GitHubAnswer {
  const state = query.get('state') ?? 'open'
  if (!states.includes(state))
    // documented: Issues are listed newest first, among them the pull requests, which have a `pull_request`. `state` is open by
    // default, or closed or all. `since` keeps those that changed at that time or later. A page has 30 issues, or `per_page` up
    // to 100, and a Link header with the next page. Filters by label and assignee are ignored. [GitHub REST, issues and issue
    // comments]
    return failed(422, `Validation Failed: state is ${state}.`)
  const { page, perPage } = pageIn(query)
  const since = Date.parse(query.get('since') ?? '1970-01-01')
  const found = repository.issues
    .filter(issue => state === 'all' || issue.state === state)
    .filter(({ updatedAt }) => Date.parse(updatedAt) >= since)
    .reverse()
  const answer = ok(
    found.slice((page - 1) * perPage, page * perPage).map(issue => issueView(repository, issue)),
  )
  if (found.length <= page * perPage) return answer
  const next = new URL(url)
  next.searchParams.set('page', String(page + 1))
  return { ...answer, headers: { link: `<${next.href}>; rel="next"` } }
}

const isStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(one => typeof one === 'string')

function createIssue(repository: Repository, { sent, now }: GitHubCall): GitHubAnswer {
  const { title, body = null, labels = [] } = sent
  if (typeof title !== 'string' || title === '' || !isStrings(labels)) {
    return failed(422, 'Validation Failed: title must be text, and labels must be names.')
  }
  const issue: Issue = {
    number: (repository.issues.at(-1)?.number ?? 0) + 1,
    title,
    body: typeof body === 'string' ? body : null,
    state: 'open',
    isPullRequest: false,
    labels,
    comments: [],
    createdAt: now,
    updatedAt: now,
    closedAt: null,
  }
  repository.issues.push(issue)
  // documented: POST returns 201 with the number of the issue and sets its labels. A request without a title gets 422. Issues,
  // comments, environments and users have the fields that the description requires; those that nobody sets are placeholders.
  // [GitHub REST, issues and issue comments; GitHub's OpenAPI description, version 29.0.1 of its types]
  return created(issueView(repository, issue))
}

function updateIssue(repository: Repository, issue: Issue, { sent, now }: GitHubCall): GitHubAnswer {
  const { title = issue.title, body = issue.body, state = issue.state } = sent
  if (typeof title !== 'string' || title === '' || (state !== 'open' && state !== 'closed')) {
    return failed(422, 'Validation Failed: title must be text, and state must be open or closed.')
  }
  Object.assign(issue, { title, body: typeof body === 'string' ? body : null, state, updatedAt: now })
  issue.closedAt = state === 'closed' ? (issue.closedAt ?? now) : null
  // documented: PATCH changes the title, body and state. Write access to issues is enough to close them. [GitHub REST, issues
  // and issue comments]
  return ok(issueView(repository, issue))
}

function commentsAnswer(
  repository: Repository,
  issue: Issue,
  { method, sent, now }: GitHubCall,
): GitHubAnswer {
  const view = (comment: Comment, at: number) => commentView(repository, issue, comment, at)
  // documented: Comments are listed oldest first. POST adds one and returns 201. [GitHub REST, issues and issue comments]
  if (method === 'GET') return ok(issue.comments.map(view))
  if (method !== 'POST') return notFound()
  const { body } = sent
  if (typeof body !== 'string' || body === '') {
    return failed(422, 'Validation Failed: body must be text.')
  }
  const comment = { body, createdAt: now }
  issue.comments.push(comment)
  issue.updatedAt = now
  return created(view(comment, issue.comments.length - 1))
}

/** Answers requests for …/issues and the path segments below. */
export function issuesAnswer(
  repository: Repository,
  call: GitHubCall,
  [number, area, more]: readonly string[],
): GitHubAnswer {
  const { method } = call
  if (number === undefined) {
    if (method === 'GET') return listIssues(repository, call)
    return method === 'POST' ? createIssue(repository, call) : notFound()
  }
  const issue = repository.issues.find(one => String(one.number) === number)
  // documented: A request for an issue that does not exist gets 404. [GitHub REST, issues and issue comments]
  if (issue === undefined || more !== undefined) return notFound()
  if (area === 'comments') return commentsAnswer(repository, issue, call)
  if (area !== undefined) return notFound()
  // documented: GET returns one issue. [GitHub REST, issues and issue comments]
  if (method === 'GET') return ok(issueView(repository, issue))
  return method === 'PATCH' ? updateIssue(repository, issue, call) : notFound()
}
