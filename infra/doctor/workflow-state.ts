import { type HttpAnswer, reasonOf } from '../http.ts'
import { fieldOf } from '../json.ts'
import { shown } from '../shown.ts'
import type { ReadResult } from './finding.ts'

/** A workflow that does not run: what it is, and the command that switches it on. */
export interface StoppedWorkflow {
  readonly text: string
  readonly command: string
}

/** The workflow that runs `npm run drift` at night. */
const nightly = 'infra-drift.yml'
const perPage = 100
const maxPages = 10

/**
 * Finds workflows that GitHub has switched off, which it does to schedules of a public repository without activity for 60
 * days, and the nightly comparison if anybody has. Others that somebody switched off are their decision.
 * @param read reads a path of the repository
 * @returns them, or why they could not be read
 */
export async function stoppedWorkflows(
  read: (path: string) => Promise<HttpAnswer>,
): Promise<ReadResult<readonly StoppedWorkflow[], string>> {
  const all: unknown[] = []
  for (let page = 1; ; page += 1) {
    const answer = await read(`/actions/workflows?per_page=${perPage}&page=${page}`)
    const found = answer.status === 200 ? fieldOf(answer.body, 'workflows') : null
    if (!Array.isArray(found)) return { problem: reasonOf(answer, 'GitHub') }
    all.push(...found)
    if (found.length < perPage) break
    if (page === maxPages) return { problem: `there are more than ${perPage * maxPages}` }
  }
  const stopped = all.flatMap(workflow => {
    const [path, state] = [String(fieldOf(workflow, 'path')), String(fieldOf(workflow, 'state'))]
    const file = path.slice(path.lastIndexOf('/') + 1)
    if (state !== 'disabled_inactivity' && !(file === nightly && state !== 'active')) return []
    const why =
      state === 'disabled_inactivity'
        ? 'GitHub does that to schedules of a public repository without a commit for 60 days.'
        : 'So nothing is compared at night.'
    return [
      {
        text: `The workflow ${shown(file)} is switched off (${/^\w{1,40}$/.test(state) ? state : 'unknown'}). ${why}`,
        command: `gh workflow enable ${/^[\w.-]+$/.test(file) ? file : 'FILE'} --repo "$GITHUB_REPOSITORY"`,
      },
    ]
  })
  return { value: stopped }
}
