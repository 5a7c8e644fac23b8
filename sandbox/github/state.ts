import { readSecond } from '../http/clock.ts'
import type { ServiceState } from '../http/emulated-service.ts'
import {
  integer,
  listOf,
  nullable,
  oneOf,
  optional,
  readBoolean,
  readFields,
  readObject,
  readString,
  readStrings,
  requireDistinct,
  withDefault,
} from '../http/validation.ts'
import {
  type Dispatch,
  type Issue,
  type Place,
  type Protection,
  put,
  type Repository,
  type Ruleset,
  type StoredValue,
  unprotected,
  type WorkflowState,
  workflowStates,
} from './repository.ts'
import { accessLevels, type GitHubToken, type GitHubTokens } from './tokens.ts'

/** The values in a place by name, in clear text. */
interface PlaceState {
  readonly secrets: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
  /** Omitted if every branch can use the environment without approval. */
  readonly protection?: Protection
}

/** GitHub in `/state`. */
export interface GitHubState {
  /** The secrets and variables of the repository itself. */
  readonly actions: PlaceState
  readonly environments: Readonly<Record<string, PlaceState>>
  readonly issues: readonly Issue[]
  /** The state of each workflow by its file name. */
  readonly workflows: Readonly<Record<string, WorkflowState>>
  readonly withoutDispatch: readonly string[]
  /** The runs that were started through the API. */
  readonly dispatches: readonly Dispatch[]
  /** The default branch first. */
  readonly branches: readonly string[]
  readonly private: boolean
  readonly immutableReleases: boolean
  readonly privateVulnerabilityReporting: boolean
  readonly rulesets: readonly Ruleset[]
  /** The visibility of the owner's images by name. */
  readonly packages: Repository['packages']
  /** When the personal access token expires, in RFC 3339; null if it does not. */
  readonly tokenExpiresOn: string | null
  /** In a change, an omitted token keeps its permissions, and an omitted permission is `none`. */
  readonly permissions: Readonly<Record<keyof GitHubTokens, GitHubToken['access']>>
}

const valuesOf = (values: ReadonlyMap<string, StoredValue>): Record<string, string> =>
  Object.fromEntries([...values.values()].map(({ name, value }) => [name, value]))

const placeView = ({ secrets, variables, protection }: Place): PlaceState => ({
  secrets: valuesOf(secrets),
  variables: valuesOf(variables),
  ...(protection.reviewers.length === 0 && protection.branches === null ? {} : { protection }),
})

function readValues(value: unknown, where: string): Map<string, string> {
  const entries = Object.entries(readObject(value, where))
  return new Map(entries.map(([name, text]) => [name.toUpperCase(), readString(text, `${where}.${name}`)]))
}

const reviewerFields = { type: oneOf(['User', 'Team']), id: integer(1, 1e9) }

const protectionFields = {
  reviewers: withDefault(
    [],
    listOf((reviewer, where) => readFields(reviewer, where, reviewerFields)),
  ),
  branches: nullable((value: unknown, where: string) =>
    value === 'protected' ? value : readStrings(value, where),
  ),
  tags: optional(readStrings),
}

const placeFields = {
  protection: withDefault(unprotected, (value: unknown, where: string): Protection => {
    const { tags, ...rest } = readFields(value, where, protectionFields)
    return tags === undefined ? rest : { ...rest, tags }
  }),
  secrets: withDefault(new Map(), readValues),
  variables: withDefault(new Map(), readValues),
}

function readEnvironments(value: unknown, where: string) {
  const entries = Object.entries(readObject(value, where))
  return new Map(
    entries.map(([name, place]) => [name, readFields(place, `${where}.${name}`, placeFields)] as const),
  )
}

const commentFields = { body: readString, createdAt: readSecond }

const issueFields = {
  number: integer(1, 1e9),
  title: readString,
  body: nullable(readString),
  state: withDefault('open', oneOf(['open', 'closed'])),
  isPullRequest: withDefault(false, readBoolean),
  labels: withDefault([], readStrings),
  comments: withDefault(
    [],
    listOf((comment, where) => readFields(comment, where, commentFields)),
  ),
  createdAt: readSecond,
  updatedAt: readSecond,
  closedAt: nullable(readSecond),
}

function readIssues(value: unknown, where: string): Issue[] {
  const issues = listOf((issue, place) => readFields(issue, place, issueFields))(value, where)
  const numbers = issues.map(({ number }) => String(number))
  requireDistinct(numbers, `The numbers of ${where}`)
  return issues.sort((one, other) => one.number - other.number)
}

function readWorkflows(value: unknown, where: string): GitHubState['workflows'] {
  const entries = Object.entries(readObject(value, where))
  return Object.fromEntries(
    entries.map(([file, state]) => [file, oneOf(workflowStates)(state, `${where}.${file}`)]),
  )
}

const dispatchFields = { workflow: readString, branch: readString, at: readSecond }

const rulesetFields = {
  target: oneOf(['branch', 'tag', 'push']),
  enforcement: withDefault('active', oneOf(['active', 'evaluate', 'disabled'])),
  include: readStrings,
  rules: readStrings,
}

function readPackages(value: unknown, where: string): Repository['packages'] {
  const entries = Object.entries(readObject(value, where))
  return Object.fromEntries(
    entries.map(([name, visibility]) => [name, oneOf(['public', 'private'])(visibility, `${where}.${name}`)]),
  )
}

const access = withDefault('none', oneOf(accessLevels))
const accessFields = {
  actions: access,
  administration: access,
  environments: access,
  secrets: access,
  variables: access,
  issues: access,
  packages: access,
}
const readAccess = (value: unknown, where: string) => readFields(value, where, accessFields)

const stateFields = {
  actions: (value: unknown, where: string) => readFields(value, where, placeFields),
  environments: readEnvironments,
  issues: readIssues,
  workflows: readWorkflows,
  withoutDispatch: readStrings,
  dispatches: listOf((run, where) => readFields(run, where, dispatchFields)),
  branches: readStrings,
  private: readBoolean,
  immutableReleases: readBoolean,
  privateVulnerabilityReporting: readBoolean,
  rulesets: listOf((ruleset, where) => readFields(ruleset, where, rulesetFields)),
  packages: readPackages,
  tokenExpiresOn: nullable(readSecond),
  permissions: (value: unknown, where: string) =>
    readFields(value, where, { token: optional(readAccess), workflowToken: optional(readAccess) }),
}

/** Replaces values. Unchanged values keep their dates. */
function putAll(target: Map<string, StoredValue>, values: ReadonlyMap<string, string>, now: string): void {
  for (const name of target.keys()) if (!values.has(name)) target.delete(name)
  for (const [name, value] of values) if (target.get(name)?.value !== value) put(target, name, value, now)
}

/** Returns the part of `/state` for the repository. @param now returns the time in RFC 3339 */
export function gitHubState(repository: Repository, tokens: GitHubTokens, now: () => string): ServiceState {
  const { token, workflowToken } = tokens
  const read = (): GitHubState => ({
    actions: placeView(repository.actions),
    environments: Object.fromEntries(
      [...repository.environments].map(([name, place]) => [name, placeView(place)]),
    ),
    issues: repository.issues,
    workflows: repository.workflows,
    withoutDispatch: repository.withoutDispatch,
    dispatches: repository.dispatches,
    branches: repository.branches,
    private: repository.isPrivate,
    immutableReleases: repository.immutableReleases,
    privateVulnerabilityReporting: repository.privateVulnerabilityReporting,
    rulesets: repository.rulesets,
    packages: repository.packages,
    tokenExpiresOn: token.expiresOn ?? null,
    permissions: { token: token.access, workflowToken: workflowToken.access },
  })
  return {
    keys: ['github'],
    read: () => ({ github: read() }),
    prepare({ github }) {
      if (github === undefined) return () => undefined
      const next = readFields({ ...read(), ...readObject(github, 'github') }, 'github', stateFields)
      return () => {
        const { actions, environments, issues, workflows, tokenExpiresOn, permissions } = next
        for (const name of repository.environments.keys()) {
          if (!environments.has(name)) repository.environments.delete(name)
        }
        const places = [...environments].map(
          ([name, contents]) => [repository.ensure(name), contents] as const,
        )
        for (const [place, { secrets, variables, protection }] of [
          [repository.actions, actions] as const,
          ...places,
        ]) {
          place.protection = protection
          putAll(place.secrets, secrets, now())
          putAll(place.variables, variables, now())
        }
        repository.issues = issues
        repository.workflows = workflows
        repository.withoutDispatch = next.withoutDispatch
        repository.dispatches = next.dispatches
        repository.branches = next.branches
        repository.isPrivate = next.private
        repository.immutableReleases = next.immutableReleases
        repository.privateVulnerabilityReporting = next.privateVulnerabilityReporting
        repository.rulesets = next.rulesets
        repository.packages = next.packages
        token.expiresOn = tokenExpiresOn
        token.access = permissions.token ?? token.access
        workflowToken.access = permissions.workflowToken ?? workflowToken.access
      }
    },
  }
}
