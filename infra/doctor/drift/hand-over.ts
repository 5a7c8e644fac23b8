import type { HttpAnswer } from '../../http.ts'
import { fieldOf, textOf } from '../../json.ts'
import { handedOverVariables } from '../../settings/handed-over.ts'
import type { RecordSettings } from '../../settings/stack-settings.ts'
import { shown } from '../../shown.ts'
import { handedOver, types } from '../../stack-facts.ts'
import { findIn, ofType, type StackState } from '../../stack-state.ts'
import { connectGitHub } from '../clients/github.ts'
import { rotateToken } from '../expiry.ts'
import { differs, type Finding, unreadable } from '../finding.ts'

/** Reads a path of the environment. */
type ReadPlace = (path: string) => Promise<HttpAnswer>

/**
 * Compares the secret and the variables that the stack handed over to GitHub. GitHub never returns the secret, but tells
 * when it was written last.
 */
export async function handOverDifferences(
  state: StackState,
  record: RecordSettings,
  env: NodeJS.ProcessEnv,
): Promise<readonly Finding[]> {
  const { handOver } = record
  if (handOver === null) return []
  const { owner, repository, environment } = handOver
  const token = env['GITHUB_TOKEN']
  if (!token) {
    return [
      unreadable(
        subject,
        'GITHUB_TOKEN is not set.',
        'Set it to a token that can read environments of the repository.',
      ),
    ]
  }
  const gitHub = connectGitHub(env, token)
  const place = `/repos/${owner}/${repository}/environments/${encodeURIComponent(environment)}`
  const read: ReadPlace = path => gitHub(`${place}${path}`)
  const parts = await Promise.all([
    secretDifferences(state, environment, read),
    ...Object.entries(handedOverVariables(record)).map(([name, value]) =>
      variableDifferences({ state, name, value, environment, repository: `${owner}/${repository}` }, read),
    ),
  ])
  return parts.flat()
}

const subject = 'what was handed over'

function unreadAnswer(answer: HttpAnswer): Finding {
  return answer.status === null
    ? unreadable(subject, `${answer.problem}.`, 'Run npm run drift again.')
    : unreadable(
        subject,
        `GitHub answered ${answer.status}.`,
        'Check that the token in GITHUB_TOKEN can read environments of the repository.',
      )
}

async function secretDifferences(
  state: StackState,
  environment: string,
  read: ReadPlace,
): Promise<readonly Finding[]> {
  const name = handedOver.token
  const known = findIn(state, types.environmentSecret)
  // Without it, the next up hands over the token.
  if (known === null) return []
  const answer = await read(`/secrets/${name}`)
  if (answer.status === 404) {
    return [
      differs(
        `The environment ${environment} has no secret ${name}, which the stack handed over.`,
        'Run pulumi up, which hands it over again.',
      ),
    ]
  }
  if (answer.status !== 200) return [unreadAnswer(answer)]
  const written = textOf(answer.body, 'updated_at')
  const recorded = fieldOf(known.outputs, 'updatedAt')
  const [found, expected] = [timeOf(written), timeOf(recorded)]
  // The provider records no time if GitHub did not show the secret yet.
  if (expected === null || found === expected) return []
  return [
    differs(
      `The secret ${name} of the environment ${environment} was written at ${shown(written)}, and the stack wrote it at ${shown(isoOf(expected))}: somebody replaced it.`,
      `Find out who did. Then hand over a new token: ${rotateToken()}.`,
    ),
  ]
}

/** Parses a time of GitHub, or of its provider in the notation of Go (`2026-11-22 17:00:00 +0000 UTC`). */
function timeOf(value: unknown): number | null {
  if (typeof value !== 'string') return null
  const [, day, time] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z| \+0000 UTC)$/.exec(value) ?? []
  return day === undefined ? null : Date.parse(`${day}T${time}Z`)
}

const isoOf = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z')

interface Wanted {
  readonly state: StackState
  readonly name: string
  readonly value: string
  readonly environment: string
  readonly repository: string
}

async function variableDifferences(
  { state, name, value, environment, repository }: Wanted,
  read: ReadPlace,
): Promise<readonly Finding[]> {
  const isKnown = ofType(state, types.environmentVariable).some(
    ({ inputs }) => inputs['variableName'] === name,
  )
  const answer = await read(`/variables/${name}`)
  if (answer.status === 404) {
    return isKnown
      ? [
          differs(
            `The environment ${environment} has no variable ${name}, which the stack handed over.`,
            'Run pulumi up, which creates it again.',
          ),
        ]
      : []
  }
  if (answer.status !== 200) return [unreadAnswer(answer)]
  if (!isKnown) {
    return [
      differs(
        `The environment ${environment} has the variable ${name}, which the state does not know. Every pulumi up fails with 409 Variable already exists.`,
        `If no run is under way: gh variable delete ${name} --env ${environment} --repo ${repository}, then pulumi up.`,
      ),
    ]
  }
  const found = textOf(answer.body, 'value')
  if (found === value) return []
  return [
    differs(
      `The variable ${name} of the environment ${environment} is ${shown(found)} instead of ${shown(value)}.`,
      'Run pulumi up, which sets it.',
    ),
  ]
}
