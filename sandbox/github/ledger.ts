import { assumed, documented, type Entry, observed } from '../http/ledger.ts'

const secretsReference = 'GitHub REST, Actions secrets and deployment environments'
const variablesReference = 'GitHub REST, Actions variables'
const issuesReference = 'GitHub REST, issues and issue comments'

/** The behaviours of GitHub's API. */
export const ledger = {
  'github.path': documented`The API is served at the root, and also below /api/v3, as on GitHub Enterprise Server. [GitHub Enterprise Server, REST quick start]`,
  'github.credential': documented`Without a token, a request gets 401 "Requires authentication"; with a wrong one, 401 "Bad credentials". [GitHub REST, authenticating]`,
  'github.permission': observed`Without the permission, a request gets 403 "Resource not accessible by" and the kind of token. GET needs read access, everything else write access. [reports about workflow tokens and fine-grained tokens, 2022 to 2025]`,
  'github.credential.end': observed`Every response to a token that expires names its end in \`github-authentication-token-expiration\`, such as 2027-05-31 00:00:00 UTC. With some tokens, an offset such as +0200 is in place of UTC. Assumed: a fault's response and a refusal lack it. [GitHub changelog, 2021-07-26; go-github #2650]`,
  'github.body': documented`A request whose body is not JSON gets 400 "Problems parsing JSON". Assumed: so does one with more than 1 MiB. [GitHub REST, errors]`,
  'github.unknown': documented`A request for an unknown repository or path gets 404 "Not Found". [GitHub REST, troubleshooting]`,
  'github.environment': documented`PUT creates or updates an environment and returns 200. DELETE returns 204. [${secretsReference}]`,
  'github.environment.protection': documented`An environment can have reviewers and a branch policy, which allows protected branches, or branches and tags by name. PUT replaces both. Assumed: the names are kept. A request with an invalid value gets 422. [GitHub REST, deployment environments]`,
  'github.environment.branches': documented`The names of allowed branches and tags are listed and added one by one, with 200. For a name that is in the list, a request gets 303. For an environment without such a policy, it gets 404. [GitHub REST, deployment branch policies]`,
  'github.subject': documented`The subject of an OIDC token starts with \`sub_claim_prefix\`: owner and repository, each with its id, as in every repository since 15 July 2026. Assumed: a token needs no permission to read it. [GitHub Actions, OpenID Connect reference, immutable subject claims]`,
  'github.environment.missing': documented`A request for secrets or variables of an environment that does not exist gets 404. [${secretsReference}]`,
  'github.public-key': documented`A repository and each environment have a public key with an id. [${secretsReference}]`,
  'github.immutable-releases': documented`PUT switches immutable releases on and DELETE off, with 204. GET returns whether they are on, or 404 if not. The permission is called administration. [GitHub REST, repositories]`,
  'github.private-vulnerability-reporting': documented`PUT switches private reports on and DELETE off, with 204. GET returns whether they are on. Assumed: the permission is called administration. [GitHub REST, repositories]`,
  'github.ruleset': documented`The rulesets are listed without their conditions and rules, which GET of one returns. Assumed: a token needs no permission to read them. [GitHub REST, repository rules]`,
  'github.package': documented`GET of an organization's image returns whether it is public or private. For an image that does not exist, it gets 404. Assumed: a token without read access to packages gets 403. [GitHub REST, packages]`,
  'github.secret.put': documented`PUT returns 201 for a new secret and 204 for a changed one. [${secretsReference}]`,
  'github.secret.sealed': documented`A secret is sent as a libsodium sealed box, with the id of the public key. [${secretsReference}]`,
  'github.secret.unsealed': assumed`A request with a box that cannot be decrypted gets 422. The real service perhaps notices only when a job uses the secret. [a decision of this project, to be strict]`,
  'github.secret.name': documented`A name consists of letters, digits and underscores, does not start with a digit or GITHUB_, and is not case-sensitive. [${secretsReference}]`,
  'github.secret.get': documented`Secrets are returned without their values. [${secretsReference}]`,
  'github.secret.delete': documented`DELETE deletes a secret and returns 204. [${secretsReference}]`,
  'github.variable.create': documented`POST creates a variable and returns 201. [${variablesReference}]`,
  'github.variable.exists': observed`A POST with a name that exists gets 409 "Already exists - Variable already exists". [reports about Terraform's provider for GitHub, 2025-11]`,
  'github.variable.change': documented`PATCH changes a variable and returns 204. [${variablesReference}]`,
  'github.variable.get': documented`Variables are returned with their values. [${variablesReference}]`,
  'github.variable.delete': documented`DELETE deletes a variable and returns 204. [${variablesReference}]`,
  'github.workflow.list': documented`Workflows are listed with their path and state: active, deleted, disabled_fork, disabled_inactivity or disabled_manually. A page has 30 workflows, or \`per_page\` up to 100. The permission is called actions. [GitHub REST, workflows]`,
  'github.workflow.enable': documented`PUT …/enable switches a workflow on and returns 204. The path names it by its file or its id. Assumed: here, only by its file. [GitHub REST, workflows]`,
  'github.workflow.dispatch': documented`POST …/dispatches with a branch or a tag in \`ref\` starts a run and returns 204. The permission is called actions. Assumed: here, only a branch. [GitHub REST, workflows]`,
  'github.workflow.dispatch.refused': observed`A dispatch gets 422 with an unknown ref, without one, with other keys, on a disabled workflow, and on one without a \`workflow_dispatch\` trigger. For an unknown file, it gets 404. [elastic/terraform-provider-elasticstack #1829; benc-uk/workflow-dispatch #50, #72; convictional/trigger-workflow-and-wait #44]`,
  'github.user-agent': documented`A request without a User-Agent gets 403. A Worker sends none of its own. [GitHub REST, getting started]`,
  'github.issue.list': documented`Issues are listed newest first, among them the pull requests, which have a \`pull_request\`. \`state\` is open by default, or closed or all. \`since\` keeps those that changed at that time or later. A page has 30 issues, or \`per_page\` up to 100, and a Link header with the next page. Filters by label and assignee are ignored. [${issuesReference}]`,
  'github.issue.create': documented`POST returns 201 with the number of the issue and sets its labels. A request without a title gets 422. Issues, comments, environments and users have the fields that the description requires; those that nobody sets are placeholders. [${issuesReference}; GitHub's OpenAPI description, version 29.0.1 of its types]`,
  'github.issue.get': documented`GET returns one issue. [${issuesReference}]`,
  'github.issue.missing': documented`A request for an issue that does not exist gets 404. [${issuesReference}]`,
  'github.issue.update': documented`PATCH changes the title, body and state. Write access to issues is enough to close them. [${issuesReference}]`,
  'github.issue.comment': documented`Comments are listed oldest first. POST adds one and returns 201. [${issuesReference}]`,
} as const satisfies Readonly<Record<string, Entry>>

/** The id of a behaviour. */
export type GitHubLedgerId = keyof typeof ledger
