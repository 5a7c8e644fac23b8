import { timingSafeEqual } from 'node:crypto'
import { failed, type GitHubAnswer } from './answer.ts'

/** The parts of the repository that a token can access. */
const permissions = ['actions', 'administration', 'environments', 'secrets', 'variables', 'issues'] as const
type Permission = (typeof permissions)[number]

/** The levels of access to a part of the repository. Each includes those before it. */
const accessLevels = ['none', 'read', 'write'] as const
type AccessLevel = (typeof accessLevels)[number]

/** A token and the access that it grants. */
export interface GitHubToken {
  readonly value: string
  /** The kind of the token, which ends the message of a refusal. */
  readonly holder: 'personal access token' | 'integration'
  access: Readonly<Record<Permission, AccessLevel>>
}

/** The tokens by their names in `/state`. */
export interface GitHubTokens {
  readonly token: GitHubToken
  readonly workflowToken: GitHubToken
}

/** Returns the same access to every part. */
export const accessToAll = (access: AccessLevel): GitHubToken['access'] =>
  Object.fromEntries(permissions.map(permission => [permission, access])) as GitHubToken['access']

const bearer = /^(?:Bearer|token) +(\S+)$/i

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Returns the token of a request, or the answer to a request without a valid one. */
export function authenticate(
  authorization: string | undefined,
  tokens: readonly GitHubToken[],
): { readonly value: GitHubToken } | { readonly problem: GitHubAnswer } {
  const given = bearer.exec(authorization ?? '')?.[1]
  // documented: Without a token, a request gets 401 "Requires authentication"; with a wrong one, 401 "Bad
  // credentials". [GitHub REST, authenticating]
  if (given === undefined) return { problem: failed(401, 'Requires authentication') }
  const token = tokens.find(({ value }) => isEqual(value, given))
  return token ? { value: token } : { problem: failed(401, 'Bad credentials') }
}

/** Returns the refusal of a token without access, or null. GET needs `read`, everything else `write`. */
export function refuseAccess(
  { access, holder }: GitHubToken,
  permission: Permission,
  method: string,
): GitHubAnswer | null {
  const granted = access[permission]
  if (granted === 'write' || (granted === 'read' && method === 'GET')) return null
  // observed: Without the permission, a request gets 403 "Resource not accessible by" and the kind of token. GET needs read
  // access, everything else write access. [reports about workflow tokens and fine-grained tokens, 2022 to 2025]
  return failed(403, `Resource not accessible by ${holder}`)
}
