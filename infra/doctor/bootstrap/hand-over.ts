import { reasonOf } from '../../http.ts'
import { handedOverVariables } from '../../settings/handed-over.ts'
import { readRepository } from '../../settings/readers.ts'
import { handedOver, types } from '../../stack-facts.ts'
import { ofType } from '../../stack-state.ts'
import { connectGitHub } from '../clients/github.ts'
import { findingsOf, type StepFinding } from '../finding.ts'
import {
  environmentCommand,
  pathOf,
  type Read,
  readSecretNames,
  readVariables,
  unreadEnvironment,
} from './environment.ts'
import type { Local } from './local.ts'
import { checkEnd, dayOf } from './token-end.ts'

/** Checks where the token of a stack goes that has a record alone. GitHub is one place of several, so it is optional. */
export async function checkHandOverAlone(
  local: Local,
  env: NodeJS.ProcessEnv,
  now = Date.now(),
): Promise<{ readonly findings: readonly StepFinding[] }> {
  const { note, missing } = findingsOf('handOver')
  const target = local.stack?.settings?.record?.handOver ?? null
  const given = readRepository(env['GITHUB_REPOSITORY'] ?? '')
  const here = 'value' in given ? given.value : null
  const repository = target ?? here
  if (repository === null) {
    return {
      findings: [
        note(
          'GITHUB_REPOSITORY is not set, so GitHub was not checked. A router or a machine of yours needs none.',
        ),
      ],
    }
  }
  const token = env['GITHUB_TOKEN']
  if (!token) {
    return {
      findings: [
        missing(
          'GITHUB_TOKEN is not set, so GitHub was not checked.',
          'export GITHUB_TOKEN=$(gh auth token)',
        ),
      ],
    }
  }
  const gitHub = connectGitHub(env, token)
  const name = `${repository.owner}/${repository.repository}`
  const read: Read = path => gitHub(`/repos/${name}${path}`)
  return {
    findings: [
      ...(await checkHandOver(read, target && name, target?.environment ?? 'dns', local)),
      ...(target ? [await checkHandOverToken(`/repos/${name}`, env, local, now)] : []),
    ],
  }
}

/**
 * Checks the environment that receives the token.
 * @param repository of the stack's configuration; null if the token is handed over by hand
 */
export async function checkHandOver(
  read: Read,
  repository: string | null,
  name: string,
  { stack }: Local,
): Promise<readonly StepFinding[]> {
  const { ok, missing } = findingsOf('handOver')
  const path = pathOf(name)
  const { token, zoneId, hostname, recordType } = handedOver
  const outputs: Readonly<Record<string, string>> = { [zoneId]: 'zoneId', [hostname]: 'hostname' }
  const answer = await read(path)
  const inGitHub = findingsOf('github')
  if (answer.status === 404)
    return [inGitHub.missing(`There is no environment ${name}.`, environmentCommand(name, repository))]
  if (answer.status !== 200) return [unreadEnvironment('github', name, answer)]
  const place = `--env ${name} --repo "$GITHUB_REPOSITORY"`
  // What gh creates, pulumi up cannot: GitHub answers 409.
  const fixed = (byHand: string) =>
    repository === null ? byHand : 'pulumi up --run-program --policy-pack infra/policy'
  const exists = inGitHub.ok(`The environment ${name} exists.`)
  const secrets = await readSecretNames(read, 'handOver', name)
  if ('problem' in secrets) return [exists, secrets.problem]
  const variables = await readVariables(read, path)
  const hasToken = secrets.value.includes(token)
  const record = stack?.settings?.record
  const wanted: Readonly<Record<string, string | undefined>> = record
    ? handedOverVariables(record)
    : { [zoneId]: undefined, [hostname]: undefined }
  return [
    exists,
    hasToken
      ? ok(`It has the secret ${token}.`)
      : missing(
          `The environment ${name} lacks ${token}.`,
          fixed(`pulumi stack output dnsToken --show-secrets | gh secret set ${token} ${place}`),
        ),
    ...Object.entries(wanted).flatMap(([variable, value]) => {
      const known = stack && ofType(stack.state, types.environmentVariable)
      const isKnown = known?.some(({ inputs }) => inputs['variableName'] === variable)
      if (repository !== null && variables.has(variable) && !isKnown) {
        return missing(
          `The environment ${name} has the variable ${variable}, which the state does not know, so pulumi up fails with 409.`,
          `gh variable delete ${variable} --env ${name} --repo "${repository}"`,
        )
      }
      // The workflow takes A records without it.
      if (variable === recordType && value === 'A' && !variables.has(variable)) return []
      return variables.has(variable) && (value === undefined || variables.get(variable) === value)
        ? ok(`Its variable ${variable} is correct.`)
        : missing(
            `The variable ${variable} of the environment ${name} does not match the stack.`,
            fixed(
              `gh variable set ${variable} ${place} --body ${outputs[variable] ? `"$(pulumi stack output ${outputs[variable]})"` : value}`,
            ),
          )
    }),
  ]
}

/** Checks the end of the token with which `pulumi up` hands over. GitHub names it in a header of every response. */
export async function checkHandOverToken(
  path: string,
  env: NodeJS.ProcessEnv,
  { stack }: Local,
  now: number,
): Promise<StepFinding> {
  const { note, missing } = findingsOf('handOver')
  const variable = 'HOMEPORT_GITHUB_TOKEN'
  const token = env[variable]
  if (!token) return note(`${variable} is not set, so the end of the GitHub token was not checked.`)
  const answer = await connectGitHub(env, token)(path)
  if (answer.status === 200) {
    const endsOn = dayOf(answer.headers['github-authentication-token-expiration'])
    return checkEnd('handOver', 'GitHub token', endsOn, stack?.settings ?? null, now)
  }
  const reason = reasonOf(answer, 'GitHub')
  return missing(
    `The GitHub token is not valid: ${reason}. Create another one.`,
    `read -rs ${variable} && export ${variable}`,
  )
}
