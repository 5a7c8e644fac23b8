import { quoteValue } from '../../lib/quote.ts'
import { findIn, ofType } from '../exported-state.ts'
import { fieldOf, textOf } from '../json.ts'
import { types } from '../resource-names.ts'
import { handedOver, handedOverVariables } from '../settings/handed-over.ts'
import { readRepository } from '../settings/readers/repository.ts'
import { changeDifferences, type Difference, differs, lacking } from './difference.ts'
import { rotateToken } from './expiry.ts'
import type { Check } from './look.ts'
import { gitHubReader } from './reader.ts'
import { environmentPath } from './rows.ts'

/**
 * Looks at the secret that was handed over, which GitHub never returns, by the time of its last change, and for variables that
 * the state does not know.
 */
export const handOverChecks: Check = async look => {
  const { gitHub, state, settings } = look
  const { record } = settings
  if (!gitHub || !record?.handOver) return []
  const { owner, repository, environment } = record.handOver
  const read = (path: string) => gitHub.one(`${environmentPath(look)}${path}`, 'what was handed over')
  const known = ofType(state, types.environmentVariable).map(({ inputs }) => inputs['variableName'])
  const names = Object.keys(handedOverVariables(settings.zoneId, record)).filter(
    name => !known.includes(name),
  )
  const unknown = names.map(async name =>
    (await read(`/variables/${name}`)) === null
      ? lacking(`the variable ${name} of the environment ${environment}`)
      : differs(
          `The environment ${environment} has the variable ${name}, which the state does not know. Every pulumi up fails with 409 Variable already exists.`,
          `If no run is under way: gh variable delete ${name} --env ${environment} --repo ${owner}/${repository}, then pulumi up.`,
        ),
  )
  const secret = findIn(state, types.environmentSecret)
  return [
    ...changeDifferences(
      `The secret ${handedOver.token} of the environment ${environment}`,
      secret && fieldOf(await read(`/secrets/${handedOver.token}`), 'updated_at'),
      // The provider records no time if GitHub did not show the secret yet.
      secret?.outputs['updatedAt'],
      `Find out who replaced it. Then hand over a new token: ${rotateToken()}.`,
    ),
    ...(await Promise.all(unknown)).flat(),
  ]
}

/** The workflow that runs `npm run drift` at night. */
const nightly = 'infra-drift.yml'

/**
 * Finds workflows that GitHub has switched off, which it does to schedules of a public repository without activity for 60 days,
 * and the nightly comparison if anybody has. Others that somebody switched off are their decision.
 */
export async function workflowDifferences(env: NodeJS.ProcessEnv): Promise<readonly Difference[]> {
  const { HOMEPORT_ISSUE_TOKEN: token, GITHUB_REPOSITORY: repository = '' } = env
  if (!token || 'problems' in readRepository(repository)) return []
  const reader = gitHubReader(env, 'HOMEPORT_ISSUE_TOKEN')
  const all = await reader.all(`/repos/${repository}/actions/workflows`, 'the workflows')
  return all.flatMap(workflow => {
    const state = textOf(workflow, 'state') ?? ''
    const file = (textOf(workflow, 'path') ?? '').replace(/^.*\//s, '')
    const isIdle = state === 'disabled_inactivity'
    if (!isIdle && !(file === nightly && state !== 'active')) return []
    const why = isIdle
      ? 'GitHub does that to schedules of a public repository without a commit for 60 days.'
      : 'So nothing is compared at night.'
    return [
      differs(
        `The workflow ${quoteValue(file)} is switched off (${quoteValue(state)}). ${why}`,
        `Switch it on: gh workflow enable ${/^[\w.-]+$/.test(file) ? file : 'FILE'} --repo "$GITHUB_REPOSITORY"`,
      ),
    ]
  })
}
