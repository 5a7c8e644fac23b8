import type { ServiceState } from '../http/emulated-service.ts'
import { workflowAuthor } from './issues.ts'
import {
  type Dispatch,
  type Issue,
  type Place,
  put,
  type Repository,
  type StoredValue,
  type WorkflowState,
} from './repository.ts'
import { accessToAll, type GitHubToken, type GitHubTokens } from './tokens.ts'

/** The values in a place by name, in clear text. */
interface PlaceState {
  readonly secrets: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
}

/** GitHub in `/state`. In a change, an omitted key keeps its value. */
export interface GitHubState {
  readonly environments: Readonly<Record<string, PlaceState>>
  readonly issues: readonly (Partial<Issue> & Pick<Issue, 'number' | 'title' | 'createdAt' | 'updatedAt'>)[]
  /** The state of each workflow by its file name. */
  readonly workflows: Readonly<Record<string, WorkflowState>>
  /** The runs that were started through the API. */
  readonly dispatches: readonly Dispatch[]
  /** The default branch first. */
  readonly branches: readonly string[]
  readonly private: boolean
  /** In a change, an omitted token keeps its permissions, and an omitted permission is `none`. */
  readonly permissions: Readonly<Partial<Record<keyof GitHubTokens, Partial<GitHubToken['access']>>>>
}

const valuesOf = (values: ReadonlyMap<string, StoredValue>): Record<string, string> =>
  Object.fromEntries([...values.values()].map(({ name, value }) => [name, value]))

const placeView = ({ secrets, variables }: Place): PlaceState => ({
  secrets: valuesOf(secrets),
  variables: valuesOf(variables),
})

/** Replaces values. Unchanged values keep their dates. */
function putAll(
  target: Map<string, StoredValue>,
  values: Readonly<Record<string, string>>,
  now: string,
): void {
  const named = new Map(Object.entries(values).map(([name, value]) => [name.toUpperCase(), value]))
  for (const name of target.keys()) if (!named.has(name)) target.delete(name)
  for (const [name, value] of named) if (target.get(name)?.value !== value) put(target, name, value, now)
}

function setPlace(place: Place, { secrets = {}, variables = {} }: Partial<PlaceState>, now: string): void {
  putAll(place.secrets, secrets, now)
  putAll(place.variables, variables, now)
}

const issueDefaults = { body: null, state: 'open', isPullRequest: false, author: workflowAuthor } as const

/** Returns the part of `/state` for the repository. @param now returns the time in RFC 3339 */
export function gitHubState(repository: Repository, tokens: GitHubTokens, now: () => string): ServiceState {
  const { token, workflowToken } = tokens
  const read = (): GitHubState => ({
    environments: Object.fromEntries(
      [...repository.environments].map(([name, place]) => [name, placeView(place)]),
    ),
    issues: repository.issues,
    workflows: repository.workflows,
    dispatches: repository.dispatches,
    branches: repository.branches,
    private: repository.isPrivate,
    permissions: { token: token.access, workflowToken: workflowToken.access },
  })
  return {
    keys: ['github'],
    read: () => ({ github: read() }),
    replace({ github }) {
      if (github === undefined) return
      const next = { ...read(), ...(github as Partial<GitHubState>) }
      for (const name of repository.environments.keys())
        if (!Object.hasOwn(next.environments, name)) repository.environments.delete(name)
      for (const [name, place] of Object.entries(next.environments))
        setPlace(repository.ensure(name), place, now())
      repository.issues = next.issues
        .map(issue => ({ ...issueDefaults, ...issue }))
        .sort((one, other) => one.number - other.number)
      repository.workflows = next.workflows
      repository.dispatches = next.dispatches
      repository.branches = next.branches
      repository.isPrivate = next.private
      for (const [name, access] of Object.entries(next.permissions))
        tokens[name as keyof GitHubTokens].access = { ...accessToAll('none'), ...access }
    },
  }
}
