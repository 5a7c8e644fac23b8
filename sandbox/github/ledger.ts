import { assumed, documented, type Entry, observed } from '../http/ledger.ts'

const secretsReference = 'GitHub REST, Actions secrets and deployment environments'
const variablesReference = 'GitHub REST, Actions variables'
const issuesReference = 'GitHub REST, issues and issue comments'

/** The behaviours of GitHub's API. */
export const ledger = {
  'github.path': documented`The API is at the root, and below /api/v3 as on GitHub Enterprise Server. [GitHub Enterprise Server, REST quick start]`,
  'github.credential': documented`A missing token gets 401 Requires authentication, a wrong one 401 Bad credentials. [GitHub REST, authenticating]`,
  'github.permission': observed`A token without a permission gets 403 Resource not accessible, followed by the kind of token. Reading needs the permission to read, everything else to write. [reports about workflow tokens and fine-grained tokens, 2022 to 2025]`,
  'github.body': documented`A body that is not JSON gets 400 Problems parsing JSON. [GitHub REST, errors]`,
  'github.unknown': documented`Unknown repositories and paths get 404 Not Found. [GitHub REST, troubleshooting]`,
  'github.environment': documented`PUT creates or updates an environment: 200. DELETE deletes it: 204. [${secretsReference}]`,
  'github.environment.protection': documented`An environment has reviewers and a branch policy: protected branches, or branches by name. PUT replaces both; names of branches stay (assumed). An invalid one gets 422. [GitHub REST, deployment environments]`,
  'github.environment.branches': documented`The names of branches are listed and added one by one: 200. A name that exists gets 303. Without such a policy they get 404. [GitHub REST, deployment branch policies]`,
  'github.subject': documented`The subject of an OIDC token starts with \`sub_claim_prefix\`: owner and repository, each with its id, as in every repository since 15 July 2026. A token needs no permission to read it (assumed). [GitHub Actions, OpenID Connect reference, immutable subject claims]`,
  'github.environment.missing': documented`Secrets and variables of a missing environment get 404. [${secretsReference}]`,
  'github.public-key': documented`A repository and each environment have a public key with an id. [${secretsReference}]`,
  'github.secret.put': documented`A new secret gets 201, a changed one 204. [${secretsReference}]`,
  'github.secret.sealed': documented`A secret is a libsodium sealed box with the id of its public key. [${secretsReference}]`,
  'github.secret.unsealed': assumed`A box that cannot be decrypted gets 422. The real service may notice only when a job uses the secret. [stricter on purpose]`,
  'github.secret.name': documented`A name has letters, digits and underscores, does not start with a digit or GITHUB_, and ignores case. [${secretsReference}]`,
  'github.secret.get': documented`Secrets are returned without their values. [${secretsReference}]`,
  'github.secret.delete': documented`DELETE deletes a secret: 204. [${secretsReference}]`,
  'github.variable.create': documented`A new variable gets 201; an existing name gets 409. [${variablesReference}]`,
  'github.variable.change': documented`PATCH changes a variable: 204. [${variablesReference}]`,
  'github.variable.get': documented`Variables are returned with their values. [${variablesReference}]`,
  'github.variable.delete': documented`DELETE deletes a variable: 204. [${variablesReference}]`,
  'github.issue.list': documented`The newest issue comes first. \`state\` is open unless the query says closed or all. A page has 30 issues, or \`per_page\` up to 100, and a Link to the next one. Filters by label and assignee are ignored. [${issuesReference}]`,
  'github.issue.create': documented`POST gets 201 with the number. Labels are stored as they are sent. Without a title it gets 422. [${issuesReference}]`,
  'github.issue.get': documented`GET returns one issue. [${issuesReference}]`,
  'github.issue.missing': documented`An unknown number gets 404. [${issuesReference}]`,
  'github.issue.update': documented`PATCH changes title, body and state. Anyone who can write issues can close them. [${issuesReference}]`,
  'github.issue.comment': documented`Comments are listed oldest first. POST adds one: 201. [${issuesReference}]`,
} as const satisfies Readonly<Record<string, Entry>>

/** The id of a behaviour. */
export type Behaviour = keyof typeof ledger
