import { gitHubApi } from '../../github-api.ts'
import { exchange } from '../../http.ts'
import { stoppedWorkflows } from '../workflow-state.ts'
import type { Difference } from './difference.ts'
import { isRepository } from './issue.ts'

/** Reports workflows that do not run, if the environment names a repository and a token. */
export async function workflowDifferences(env: NodeJS.ProcessEnv): Promise<readonly Difference[]> {
  const { HOMEPORT_ISSUE_TOKEN: token, GITHUB_REPOSITORY: repository = '' } = env
  if (!token || !isRepository.test(repository)) return []
  const { root, headers } = gitHubApi(env, token)
  const stopped = await stoppedWorkflows(path => exchange(`${root}/repos/${repository}${path}`, { headers }))
  if ('problem' in stopped) {
    const text = `Could not read the workflows: ${stopped.problem}.`
    return [{ level: 'error', text, cure: 'Give the token in HOMEPORT_ISSUE_TOKEN actions: read.' }]
  }
  return stopped.map(({ text, command }) => ({ level: 'error', text, cure: `Switch it on: ${command}` }))
}
