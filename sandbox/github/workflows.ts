import { failed, type GitHubAnswer, noContent, notFound, ok } from './answer.ts'
import { type GitHubCall, pageOf } from './call.ts'
import type { Repository } from './repository.ts'

function workflowList({ workflows }: Repository, { query }: GitHubCall): GitHubAnswer {
  const all = Object.entries(workflows).map(([name, state], at) => ({
    id: at + 1,
    name,
    path: `.github/workflows/${name}`,
    state,
  }))
  // documented: Workflows are listed with their path and state: active, deleted, disabled_fork, disabled_inactivity or
  // disabled_manually. A page has 30 workflows, or `per_page` up to 100. The permission is called actions. [GitHub REST,
  // workflows]
  return ok({ total_count: all.length, workflows: pageOf(all, query) })
}

/** Starts a run. No workflow here has inputs. */
function dispatch(repository: Repository, { sent, now }: GitHubCall, file: string): GitHubAnswer {
  const { ref, inputs = {}, return_run_details: _, ...others } = sent
  // observed: A dispatch gets 422 with an unknown ref, without one, with other keys, and on a disabled workflow. For an
  // unknown file, it gets 404. [elastic/terraform-provider-elasticstack #1829; benc-
  // uk/workflow-dispatch #50, #72; convictional/trigger-workflow-and-wait #44]
  const refuse = (message: string) => failed(422, message)
  const [other] = Object.keys(others)
  if (other !== undefined) return refuse(`Invalid request.\n\n"${other}" is not a permitted key.`)
  if (typeof ref !== 'string') return refuse(`Invalid request.\n\n"ref" wasn't supplied.`)
  const branch = ref.replace(/^refs\/heads\//, '')
  if (!repository.branches.includes(branch)) return refuse(`No ref found for: ${ref}`)
  if (repository.workflows[file] !== 'active')
    return refuse("Cannot trigger a 'workflow_dispatch' on a disabled workflow")
  if (Object.keys(Object(inputs)).length > 0)
    return refuse(`Unexpected inputs provided: ${JSON.stringify(Object.keys(Object(inputs)))}`)
  repository.dispatches = [...repository.dispatches, { workflow: file, branch, at: now }]
  // documented: POST …/dispatches with a branch or a tag in `ref` starts a run and returns 204. The permission is called
  // actions. Assumed: here, only a branch. [GitHub REST, workflows]
  return noContent()
}

/** Answers requests for …/actions/workflows, and …/FILE/enable and …/FILE/dispatches below it. */
export function workflowsAnswer(
  repository: Repository,
  call: GitHubCall,
  [file, verb, more]: readonly string[],
): GitHubAnswer {
  const { method } = call
  const { workflows } = repository
  if (method === 'GET' && file === undefined) return workflowList(repository, call)
  if (file === undefined || more !== undefined) return notFound()
  const isThere = Object.hasOwn(workflows, file) && workflows[file] !== 'deleted'
  if (method === 'POST' && verb === 'dispatches')
    return isThere ? dispatch(repository, call, file) : notFound()
  if (method !== 'PUT' || verb !== 'enable') return notFound()
  // documented: PUT …/enable switches a workflow on and returns 204. The path names it by its file or its id. Assumed: here,
  // only by its file. [GitHub REST, workflows]
  if (!Object.hasOwn(workflows, file)) return notFound()
  repository.workflows = { ...workflows, [file]: 'active' }
  return noContent()
}
