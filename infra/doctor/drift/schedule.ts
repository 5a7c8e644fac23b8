import { connectGitHub } from '../clients/github.ts'
import { differs, type Finding, unreadable } from '../finding.ts'
import { stoppedWorkflows } from '../workflow-state.ts'
import { isRepository } from './issue.ts'

/** Reports workflows that do not run, if the environment names a repository and a token. */
export async function workflowDifferences(env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const { HOMEPORT_ISSUE_TOKEN: token, GITHUB_REPOSITORY: repository = '' } = env
  if (!token || !isRepository.test(repository)) return []
  const gitHub = connectGitHub(env, token)
  const stopped = await stoppedWorkflows(path => gitHub(`/repos/${repository}${path}`))
  if ('problem' in stopped) {
    const fix = 'Give the token in HOMEPORT_ISSUE_TOKEN actions: read.'
    return [unreadable('the workflows', `${stopped.problem}.`, fix)]
  }
  return stopped.value.map(({ text, command }) => differs(text, `Switch it on: ${command}`))
}
