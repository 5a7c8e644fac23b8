import { actionInputs } from '../../../action/inputs/given.ts'
import { readInputs } from '../../../action/inputs/inputs.ts'
import { expectValue } from '../../support/expect-value.ts'

type Texts = Readonly<Record<string, string>>

export const zone = '023e105f4ecef8ad9ca31a8372d0c353'
const valid = { 'api-token': 'x'.repeat(40), 'zone-id': zone, hostname: 'home.example.com' }

/** Returns the environment of a step on a self-hosted runner with these inputs. */
export function environment(inputs: Texts = {}, env: Texts = {}) {
  const given = Object.entries({ ...valid, ...inputs }).map(([name, value]) => [
    `INPUT_${name.toUpperCase()}`,
    value,
  ])
  return { GITHUB_ACTIONS: 'true', RUNNER_ENVIRONMENT: 'self-hosted', ...Object.fromEntries(given), ...env }
}

/** Reads the inputs. @throws Error with the problem if they are refused */
export function inputsOf(texts: Texts = {}, env: Texts = {}) {
  const given = environment(texts, env)
  return expectValue(readInputs(actionInputs(given), given))
}

/** Returns why the inputs are refused. @throws Error if they are accepted */
export function problemOf(texts: Texts = {}, env: Texts = {}) {
  const given = environment(texts, env)
  const reading = readInputs(actionInputs(given), given)
  if ('value' in reading) throw new Error('nothing was refused')
  return reading.problem
}
