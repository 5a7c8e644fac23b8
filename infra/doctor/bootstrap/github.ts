import { reasonOf } from '../../http.ts'
import { fieldOf, listOf } from '../../json.ts'
import { runProgram } from '../../program.ts'
import { readRepository } from '../../settings/readers.ts'
import { shown } from '../../shown.ts'
import { connectGitHub } from '../clients/github.ts'
import { findingsOf, type StepFinding } from '../finding.ts'
import { stoppedWorkflows } from '../workflow-state.ts'
import {
  bodyOf,
  environmentCommand,
  pathOf,
  type Read,
  readSecretNames,
  readVariables,
  unreadEnvironment,
} from './environment.ts'
import { checkHandOver, checkHandOverToken } from './hand-over.ts'
import type { Local } from './local.ts'

/** Environments of the workflows that deploy and compare. */
const environments = ['infra', 'infra-drift'] as const
const branch = 'main'
const passphrase = 'PULUMI_CONFIG_PASSPHRASE'
/** Under the same name, `infra-drift` has the token that only reads. */
const secretsOf = {
  infra: ['CLOUDFLARE_DEPLOY_TOKEN', 'CLOUDFLARE_READING_TOKEN', passphrase],
  'infra-drift': ['CLOUDFLARE_DEPLOY_TOKEN'],
} as const

/** What GitHub says about the repository. */
export interface GitHubReport {
  readonly findings: readonly StepFinding[]
  /** The client IDs in its variables, if GitHub was read: of the applications that deploy and that compare. */
  readonly clientId: string | null
  readonly driftClientId: string | null
  /** What the subject of a run's token starts with; null if GitHub was not read. */
  readonly subject: string | null
}

/** What a prefix may contain. It becomes part of a command that people run. */
const isPrefix = /^repo:[\w.@/-]+$/

/** Checks the repository, its environments, variables and the names of its secrets. */
export async function checkGitHub(
  local: Local,
  env: NodeJS.ProcessEnv,
  now = Date.now(),
): Promise<GitHubReport> {
  const { ok, note, missing } = findingsOf('repository')
  const repository = readRepository(env['GITHUB_REPOSITORY'] ?? '')
  const refuse = (text: string, fix: string): GitHubReport => ({
    findings: [missing(text, fix)],
    clientId: null,
    driftClientId: null,
    subject: null,
  })
  if ('problems' in repository) {
    const set = 'export GITHUB_REPOSITORY=YOU/homeport'
    return refuse('GITHUB_REPOSITORY is not set, or is not owner/name.', set)
  }
  const token = env['GITHUB_TOKEN']
  const setToken = 'export GITHUB_TOKEN=$(gh auth token)'
  if (!token) return refuse('GITHUB_TOKEN is not set, so GitHub was not checked.', setToken)
  const gitHub = connectGitHub(env, token)
  const readIn =
    (name: string): Read =>
    path =>
      gitHub(`/repos/${name}${path}`)
  const { owner, repository: name } = repository.value
  const read = readIn(`${owner}/${name}`)
  const about = await read('')
  if (about.status !== 200) {
    const reason = reasonOf(about, 'GitHub')
    return refuse(`The repository ${owner}/${name} could not be read: ${reason}.`, setToken)
  }
  const isPrivate = fieldOf(about.body, 'private') === true
  const prefix = fieldOf(bodyOf(await read('/actions/oidc/customization/sub')), 'sub_claim_prefix')
  const variables = await readVariables(read)
  const target = local.stack?.settings?.record?.handOver
  const place = target ? `${target.owner}/${target.repository}` : null
  return {
    clientId: variables.get('ARM_CLIENT_ID') ?? null,
    driftClientId: variables.get('ARM_DRIFT_CLIENT_ID') ?? null,
    subject: typeof prefix === 'string' && isPrefix.test(prefix) ? prefix : `repo:${owner}/${name}`,
    findings: [
      ok(`The repository is ${owner}/${name}.`),
      ...(isPrivate
        ? [note('It is private. Only GitHub Enterprise lets a private repository require reviewers.')]
        : []),
      ...(await Promise.all(environments.map(one => checkEnvironment(read, one, isPrivate, local)))).flat(),
      ...checkVariables(variables, env, local),
      ...(local.parts.record
        ? await checkHandOver(place ? readIn(place) : read, place, target?.environment ?? 'dns', local)
        : []),
      ...(place ? [await checkHandOverToken(`/repos/${place}`, env, local, now)] : []),
      await checkMain(read),
      ...(await checkWorkflows(read)),
      ...(await checkCommitted(local)),
    ],
  }
}

const variableNames = [
  'PULUMI_BACKEND_URL',
  'AZURE_STORAGE_ACCOUNT',
  'ARM_TENANT_ID',
  'ARM_CLIENT_ID',
  'ARM_DRIFT_CLIENT_ID',
  'PULUMI_STACK',
] as const

const branchCommand = (name: string): string =>
  `gh api --silent --method POST "repos/$GITHUB_REPOSITORY/environments/${name}/deployment-branch-policies" -f name=${branch}`

async function checkEnvironment(
  read: Read,
  name: (typeof environments)[number],
  isPrivate: boolean,
  { stack }: Local,
): Promise<readonly StepFinding[]> {
  const { ok, missing } = findingsOf('github')
  const path = pathOf(name)
  const answer = await read(path)
  if (answer.status === 404) {
    return [missing(`There is no environment ${name}.`, environmentCommand(name))]
  }
  // The command above would replace the reviewers of one that exists.
  if (answer.status !== 200) return [unreadEnvironment('github', name, answer)]
  const rules = listOf(fieldOf(answer.body, 'protection_rules'))
  const reviewers = rules.flatMap(rule => listOf(fieldOf(rule, 'reviewers')))
  const isMain = await isLimited(read, path, answer.body)
  const secrets = await readSecretNames(read, 'github', name)
  if ('problem' in secrets) return [secrets.problem]
  const wanted = [...secretsOf[name], ...(stack?.settings?.record?.handOver ? ['HOMEPORT_GITHUB_TOKEN'] : [])]
  const absent = wanted.filter(secret => !secrets.value.includes(secret))
  return [
    ok(`The environment ${name} exists.`),
    isMain
      ? ok(`Only ${branch} can use it.`)
      : missing(`Not only ${branch} can use the environment ${name}.`, branchCommand(name)),
    checkReviewers(name, reviewers.length > 0, isPrivate),
    absent.length === 0
      ? ok(`It has the secrets ${wanted.join(', ')}.`)
      : missing(
          `The environment ${name} lacks ${absent.join(', ')}.`,
          `gh secret set ${absent[0]} --env ${name} --repo "$GITHUB_REPOSITORY"`,
        ),
    ...(name === 'infra' ? [] : [checkNoPassphrase(secrets.value)]),
  ]
}

function checkNoPassphrase(secrets: readonly unknown[]): StepFinding {
  const { ok, missing } = findingsOf('github')
  return secrets.includes(passphrase)
    ? missing(
        'The environment infra-drift holds the passphrase, which opens the minting token, and nobody approves its jobs.',
        `gh secret delete ${passphrase} --env infra-drift --repo "$GITHUB_REPOSITORY"`,
      )
    : ok('It does not hold the passphrase.')
}

function checkReviewers(
  name: (typeof environments)[number],
  hasReviewers: boolean,
  isPrivate: boolean,
): StepFinding {
  const { ok, note, missing } = findingsOf('github')
  if (name === 'infra') {
    if (hasReviewers) return ok('Its jobs wait for a reviewer.')
    if (isPrivate) return note('Nobody has to approve its jobs.')
    return missing('Nobody has to approve the jobs of the environment infra.', environmentCommand(name))
  }
  if (!hasReviewers) return ok('Its jobs run without approval, also at night.')
  return missing(
    'The environment infra-drift has reviewers, so the nightly job waits for them.',
    environmentCommand(name),
  )
}

async function isLimited(read: Read, path: string, environment: unknown): Promise<boolean> {
  const policy = fieldOf(environment, 'deployment_branch_policy')
  if (fieldOf(policy, 'protected_branches') === true) return true
  if (fieldOf(policy, 'custom_branch_policies') !== true) return false
  const named = listOf(
    fieldOf(bodyOf(await read(`${path}/deployment-branch-policies?per_page=100`)), 'branch_policies'),
  ).map(one => fieldOf(one, 'name'))
  return named.length === 1 && named[0] === branch
}

function checkVariables(
  variables: ReadonlyMap<string, string>,
  env: NodeJS.ProcessEnv,
  { stack }: Local,
): readonly StepFinding[] {
  const inAzure = (variables.get('PULUMI_BACKEND_URL') ?? env['PULUMI_BACKEND_URL'])?.startsWith('azblob:')
  const wanted = variableNames.filter(name => name !== 'AZURE_STORAGE_ACCOUNT' || inAzure)
  return wanted.map(name => {
    const isLast = name === 'PULUMI_STACK'
    const { ok, missing } = findingsOf(isLast ? 'continuous' : 'github')
    const [value, here] = [variables.get(name), isLast ? stack?.name : env[name]]
    const set = `gh variable set ${name} --repo "$GITHUB_REPOSITORY" --body ${isLast ? (stack?.name ?? 'prod') : `"$${name}"`}`
    if (value === undefined) return missing(`The variable ${name} is not set.`, set)
    return here && here !== value
      ? missing(`The variable ${name} is ${shown(value)}, but here it is ${shown(here)}.`, set)
      : ok(`The variable ${name} is set.`)
  })
}

/** Tells whether everything in `main` went through a pull request. The nightly job runs what is there without approval. */
async function checkMain(read: Read): Promise<StepFinding> {
  const { ok, note } = findingsOf('continuous')
  const [rules, protection] = await Promise.all([
    read(`/rules/branches/${branch}?per_page=100`),
    read(`/branches/${branch}/protection`),
  ])
  // Without protection, GitHub answers 404. If the token cannot administer the repository, it answers 403.
  const isKnown = [rules, protection].every(({ status }) => status === 200 || status === 404)
  const isRequired =
    listOf(bodyOf(rules)).some(rule => fieldOf(rule, 'type') === 'pull_request') ||
    fieldOf(bodyOf(protection), 'required_pull_request_reviews') !== undefined
  if (isRequired) return ok(`${branch} takes changes by pull request only.`)
  return note(
    `${isKnown ? `${branch} is not protected: a` : `Could not see whether ${branch} is protected. If it is not, a`}nybody who can push to it can use what infra-drift holds, which can only read. Settings, Rules, Rulesets: require a pull request.`,
  )
}

async function checkWorkflows(read: Read): Promise<readonly StepFinding[]> {
  const { ok, note, missing } = findingsOf('continuous')
  const stopped = await stoppedWorkflows(read)
  if ('problem' in stopped) return [note(`Could not read the workflows: ${stopped.problem}.`)]
  if (stopped.value.length === 0) return [ok('GitHub has switched off no workflow.')]
  return stopped.value.map(({ text, command }) => missing(text, command))
}

/** Checks that the workflows find the stack's file. */
async function checkCommitted({ stack }: Local): Promise<readonly StepFinding[]> {
  if (stack === null) return []
  const { ok, missing } = findingsOf('continuous')
  const file = `Pulumi.${stack.name}.yaml`
  const call = { cwd: '.', env: process.env, stdout: 'pipe' } as const
  const listed = await runProgram('git', ['ls-files', '--', file], call).catch(() => null)
  return [
    listed?.output.trim() === file
      ? ok(`${file} is in the repository.`)
      : missing(`${file} is not in the repository. Its secrets are encrypted.`, `git add ${file}`),
  ]
}
