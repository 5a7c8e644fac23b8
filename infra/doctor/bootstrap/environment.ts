import { type HttpAnswer, reasonOf } from '../../http.ts'
import { fieldOf, listOf } from '../../json.ts'
import { findingsOf, type ReadResult, type Step, type StepFinding } from '../finding.ts'

/** What a set-up reads of a repository and its environments. */

/** Reads a path of the repository. */
export type Read = (path: string) => Promise<HttpAnswer>

export const bodyOf = (answer: HttpAnswer): unknown => (answer.status === 200 ? answer.body : null)

/** A page has 30 variables at most, and a repository 500. */
const maxPages = 17

/** Reads the variables of a repository, or of one of its environments. */
export async function readVariables(read: Read, place = '/actions'): Promise<ReadonlyMap<string, string>> {
  const variables = new Map<string, string>()
  for (let page = 1; page <= maxPages; page += 1) {
    const body = bodyOf(await read(`${place}/variables?per_page=30&page=${page}`))
    for (const one of listOf(fieldOf(body, 'variables'))) {
      variables.set(String(fieldOf(one, 'name')), String(fieldOf(one, 'value')))
    }
    if (!(variables.size < Number(fieldOf(body, 'total_count')))) break
  }
  return variables
}

const oneReviewer = `-F "reviewers[][type]=User" -F "reviewers[][id]=$(gh api user --jq .id)" `
const branchPolicy =
  '-F "deployment_branch_policy[protected_branches]=false" -F "deployment_branch_policy[custom_branch_policies]=true"'

/** Only the environment that deploys has reviewers. A PUT without them removes them. */
export const environmentCommand = (name: string, repository: string | null = null): string =>
  `gh api --silent --method PUT "repos/${repository ?? '$GITHUB_REPOSITORY'}/environments/${name}" ${name === 'infra' ? oneReviewer : ''}${branchPolicy}`

/** Path of an environment. */
export const pathOf = (environment: string): string => `/environments/${encodeURIComponent(environment)}`

/** Reads the names of an environment's secrets for a step. */
export async function readSecretNames(
  read: Read,
  step: Step,
  environment: string,
): Promise<ReadResult<readonly unknown[], StepFinding>> {
  const answer = await read(`${pathOf(environment)}/secrets?per_page=100`)
  const secrets = fieldOf(bodyOf(answer), 'secrets')
  return Array.isArray(secrets)
    ? { value: secrets.map(secret => fieldOf(secret, 'name')) }
    : { problem: unreadEnvironment(step, environment, answer) }
}

export function unreadEnvironment(step: Step, name: string, answer: HttpAnswer): StepFinding {
  const reason = reasonOf(answer, 'GitHub')
  return findingsOf(step).missing(
    `The environment ${name} could not be read: ${reason}.`,
    'Check that the token in GITHUB_TOKEN can read environments and the names of their secrets.',
  )
}
