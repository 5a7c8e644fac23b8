import { connectGitHub } from '../clients/github.ts'
import type { Finding } from '../finding.ts'
import { stoppedWorkflows } from '../workflow-state.ts'
import { isRepository } from './issue.ts'

/** Reports workflows that do not run, if the environment names a repository and a token. */
export async function workflowDifferences(env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const { HOMEPORT_ISSUE_TOKEN: token, GITHUB_REPOSITORY: repository = '' } = env
  if (!token || !isRepository.test(repository)) return []
  const gitHub = connectGitHub(env, token)
  const stopped = await stoppedWorkflows(path => gitHub(`/repos/${repository}${path}`))
  if ('problem' in stopped) {
    const text = `Could not read the workflows: ${stopped.problem}.`
    return [{ level: 'error', text, fix: 'Give the token in HOMEPORT_ISSUE_TOKEN actions: read.' }]
  }
  return stopped.map(({ text, command }) => ({ level: 'error', text, fix: `Switch it on: ${command}` }))
}
