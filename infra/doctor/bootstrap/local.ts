import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { readHosts } from '../../../push/hosts.ts'
import { readWorkflow, readWorkflowToken } from '../../../push/workflow.ts'
import { readSessionKeys } from '../../../src/settings/session-keys.ts'
import { fieldOf } from '../../json.ts'
import { outputOf, Refusal } from '../../program.ts'
import { parseObject } from '../../pulumi-cli.ts'
import type { Parts } from '../../settings/readers.ts'
import { daysAfter, formatTime, readMintingToken, readPushHosts } from '../../settings/readers.ts'
import type { SignInSettings, StackSettings } from '../../settings/stack-settings.ts'
import { pushNames, tokenTypes, types } from '../../stack-facts.ts'
import { findIn, parseState, type StackState } from '../../stack-state.ts'
import { noticeDays } from '../expiry.ts'
import { findingsOf, type StepFinding } from '../finding.ts'
import { readStack, type StackView } from '../stack.ts'
import { partsIn } from './parts.ts'
import { checkTools } from './tools.ts'

/** What was found on this machine. */
export interface Local {
  readonly findings: readonly StepFinding[]
  /** What the stack has, or will have. */
  readonly parts: Parts
  /** Null if there is no stack, or it could not be read. */
  readonly stack: StackView | null
  /** From the stack, or else from the environment; null if it is not known. Secret. */
  readonly mintingToken: string | null
}

/** Checks the tools, the backend and the stack. */
export async function checkLocally(
  chosen: string | undefined,
  env: NodeJS.ProcessEnv,
  now: number,
): Promise<Local> {
  const { findings, stack, mintingToken } = await checkStackHere(chosen, env, now)
  const parts = partsIn(stack?.settings ?? null, env)
  const tools = await checkTools(env, parts.signIn !== 'none')
  return { findings: [...tools, ...checkBackend(env, parts), ...findings], parts, stack, mintingToken }
}

async function checkStackHere(
  chosen: string | undefined,
  env: NodeJS.ProcessEnv,
  now: number,
): Promise<Omit<Local, 'parts'>> {
  const { ok, missing } = findingsOf('stack')
  const given = env['CLOUDFLARE_MINTING_TOKEN'] || null
  const files = (await readdir('.')).filter(name => /^Pulumi\..+\.ya?ml$/.test(name))
  // The CLI marks an empty backend when it opens it, so it is asked only if there is a stack.
  if (files.length === 0 || !env['PULUMI_BACKEND_URL']) {
    const create = 'pulumi stack init prod'
    const none = missing(`There is no stack yet: no file Pulumi.NAME.yaml is in this folder.`, create)
    return { findings: files.length === 0 ? [none] : [], stack: null, mintingToken: given }
  }
  try {
    const stack = await readStack(chosen, now)
    const secrets = await readSecrets(stack.name)
    const checked = [
      ok(`The stack is ${stack.name}.`),
      ...checkStack(stack, secrets, now),
      ...(await checkKeptTokens(stack)),
    ]
    const mintingToken = secrets?.get('mintingApiToken')?.trim() || given
    return { findings: checked, stack, mintingToken }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const fix = `pulumi stack select ${files[0]?.split('.')[1] ?? 'prod'}`
    return { findings: [missing(error.message, fix)], stack: null, mintingToken: given }
  }
}

function checkBackend(env: NodeJS.ProcessEnv, { signIn }: Parts): readonly StepFinding[] {
  const { ok, missing } = findingsOf('state')
  const url = env['PULUMI_BACKEND_URL']
  const passphrase = env['PULUMI_CONFIG_PASSPHRASE'] || env['PULUMI_CONFIG_PASSPHRASE_FILE']
  const inAzure = url?.startsWith('azblob:') ?? false
  return [
    url
      ? ok(`PULUMI_BACKEND_URL is set.`)
      : missing(
          'PULUMI_BACKEND_URL is not set.',
          `export PULUMI_BACKEND_URL=${signIn === 'none' ? 'file://$HOME/homeport-state' : 'azblob://state'}`,
        ),
    ...(inAzure && !env['AZURE_STORAGE_ACCOUNT']
      ? [missing('AZURE_STORAGE_ACCOUNT is not set.', 'export AZURE_STORAGE_ACCOUNT=NAME')]
      : []),
    passphrase
      ? ok('The passphrase is set.')
      : missing(
          'PULUMI_CONFIG_PASSPHRASE is not set.',
          'read -rs PULUMI_CONFIG_PASSPHRASE && export PULUMI_CONFIG_PASSPHRASE',
        ),
  ]
}

/** The keys whose tokens the providers in the state have. */
const kept: Readonly<Record<string, readonly string[]>> = {
  'pulumi:providers:cloudflare': ['homeport:mintingApiToken', 'cloudflare:apiToken'],
  'pulumi:providers:github': ['github:token'],
}

/** Compares the tokens of the last run with those of the configuration. The values stay in this process. */
async function checkKeptTokens({ name, state }: StackView): Promise<readonly StepFinding[]> {
  if (!state.resources.some(({ type }) => Object.hasOwn(kept, type))) return []
  const show = ['--show-secrets', '--stack', name, '--non-interactive']
  const [exported, config] = await Promise.all([
    outputOf('pulumi', ['stack', 'export', ...show], process.env),
    outputOf('pulumi', ['config', '--json', ...show], process.env),
  ])
  if (exported === null || config === null) return []
  const configured = parseObject(config)
  const stale = parseState(exported).resources.some(({ type, inputs }) => {
    const token = plaintextOf(inputs['apiToken'] ?? inputs['token'])
    return token !== null && !kept[type]?.some(key => fieldOf(configured[key], 'value') === token)
  })
  if (!stale) return []
  const text =
    'The state has another token than the configuration, and a plain refresh reads with it: once it has ended, that fails.'
  return [findingsOf('deploy').missing(text, 'pulumi up --run-program --policy-pack infra/policy')]
}

/** Returns the text of a secret in a decrypted export, or of a plain input; null if there is none. */
function plaintextOf(input: unknown): string | null {
  const text = fieldOf(input, 'plaintext')
  const value: unknown = typeof text === 'string' ? JSON.parse(text) : input
  return typeof value === 'string' ? value : null
}

/** Decrypts the configuration. Resolves to null if the passphrase is wrong. The values stay in this process. */
async function readSecrets(stack: string): Promise<ReadonlyMap<string, string> | null> {
  const args = ['config', '--json', '--show-secrets', '--stack', stack, '--non-interactive']
  const output = await outputOf('pulumi', args, process.env)
  if (output === null) return null
  const prefix = 'homeport:'
  return new Map(
    Object.entries(parseObject(output)).flatMap(([key, entry]) => {
      const value = fieldOf(entry, 'value')
      return key.startsWith(prefix) && typeof value === 'string' ? [[key.slice(prefix.length), value]] : []
    }),
  )
}

function checkStack(
  { settings, problems, state }: StackView,
  secrets: ReadonlyMap<string, string> | null,
  now: number,
): readonly StepFinding[] {
  const { ok, missing } = findingsOf('stack')
  return [
    ...problems.map(problem => missing(`homeport:${problem}`, fixIn(problem))),
    ...(settings === null ? [] : [ok('Every required key of the configuration is set.')]),
    ...(secrets === null
      ? [
          missing(
            'The secrets of the stack could not be decrypted.',
            'read -rs PULUMI_CONFIG_PASSPHRASE && export PULUMI_CONFIG_PASSPHRASE',
          ),
        ]
      : [...checkSecrets(secrets, partsIn(settings, process.env)), ...checkPushHosts(secrets, settings)]),
    ...(settings?.push || settings?.clock ? [checkBuild()] : []),
    ...(settings?.signIn ? checkRotation(settings.signIn, now) : []),
    checkDeployed(state, partsIn(settings, process.env)),
  ]
}

/** Looks for what a run creates last. */
function checkDeployed(state: StackState, { record, signIn, push }: Parts): StepFinding {
  const { ok, missing } = findingsOf('deploy')
  const wanted = [
    ...(record ? [types.record, tokenTypes] : []),
    ...(signIn === 'worker' ? [types.domain] : signIn === 'host' ? [types.password] : []),
  ]
  const isPushed = push === 'none' || findIn(state, types.domain, pushNames.domain) !== null
  if (isPushed && wanted.every(type => findIn(state, type))) {
    return ok('The stack has been deployed.')
  }
  const begun = state.resources.some(({ id }) => id !== null)
  return missing(
    begun ? 'The stack has been deployed in part.' : 'The stack has not been deployed.',
    'pulumi up --run-program --policy-pack infra/policy',
  )
}

/** Returns the command that a problem with the configuration ends with. */
function fixIn(problem: string): string {
  const command = /(?:npm run|pulumi) [^.]*$/.exec(problem)?.[0]
  return command ?? `pulumi config set --plaintext ${problem.split(' ', 1)[0]} …`
}

function checkSecrets(
  secrets: ReadonlyMap<string, string>,
  { record, signIn }: Parts,
): readonly StepFinding[] {
  const { ok, missing } = findingsOf('stack')
  const sessionKeys = secrets.get('sessionKeys')
  const minting = secrets.get('mintingApiToken')?.trim()
  const newKey = 'npm run -s keys -- new | pulumi config set --secret sessionKeys'
  const setMinting = `printf %s "$CLOUDFLARE_MINTING_TOKEN" | pulumi config set --secret mintingApiToken`
  const checkKeys = (): StepFinding =>
    sessionKeys === undefined || 'problems' in readSessionKeys(sessionKeys.trim())
      ? missing('homeport:sessionKeys is missing, or is not a list of keys.', newKey)
      : ok('The session keys are set.')
  const checkToken = (): StepFinding =>
    minting === undefined || 'problems' in readMintingToken(minting)
      ? missing('homeport:mintingApiToken is missing, or is not an API token.', setMinting)
      : ok('The minting token is set.')
  return [...(signIn === 'none' ? [] : [checkKeys()]), ...(record ? [checkToken()] : [])]
}

/** Checks the lines of the push endpoint against the records. The problems repeat no hash. */
export function checkPushHosts(
  secrets: ReadonlyMap<string, string>,
  settings: StackSettings | null,
): readonly StepFinding[] {
  if (!settings?.push || !settings.record) return []
  const { ok, missing } = findingsOf('stack')
  const { plans } = settings.record
  const reading = readPushHosts(secrets.get('pushHosts')?.trim() ?? '', {
    hostname: [...new Set(plans.map(({ name }) => name))],
    recordType: [...new Set(plans.map(({ type }) => type))],
    endpoint: { readHosts, readWorkflow, readWorkflowToken },
  })
  const fix = 'npm run push -- add HOSTNAME --hosts FILE, then pulumi config set --secret pushHosts < FILE'
  return 'value' in reading
    ? [ok('The hosts of the push endpoint are set.')]
    : reading.problems.map(problem => missing(`homeport:pushHosts ${problem}`, fix))
}

function checkBuild(): StepFinding {
  const { ok, missing } = findingsOf('deploy')
  return existsSync(new URL('../../../build/push-worker.js', import.meta.url))
    ? ok('The push endpoint has been built.')
    : missing('The push endpoint has not been built.', 'npm ci && npm run build')
}

/** Half of the default lifetime ago, so that the two client secrets never expire together. */
const halfway = `pulumi config set --plaintext secretRotationA "$(node -p 'new Date(Date.now() - 90 * 864e5).toISOString().slice(0, 10)')"`

export function checkRotation(
  { clientSecrets: [newest, oldest] }: SignInSettings,
  now: number,
): readonly StepFinding[] {
  const { ok, missing } = findingsOf('stack')
  const [ends, later] = [Date.parse(oldest.endsOn), Date.parse(newest.endsOn)]
  const today = formatTime(now).slice(0, 10)
  const rotate = `pulumi config set --plaintext secretRotation${oldest.slot.toUpperCase()} ${today}`
  if (ends <= daysAfter(now, noticeDays)) {
    return [missing(`The client secret ${oldest.slot} expires on ${oldest.endsOn.slice(0, 10)}.`, rotate)]
  }
  if (later - ends < daysAfter(0, noticeDays)) {
    const text = `Both client secrets expire within ${noticeDays} days of each other, from ${oldest.endsOn.slice(0, 10)} on.`
    return [missing(text, halfway)]
  }
  return [ok(`The client secrets expire on ${oldest.endsOn.slice(0, 10)} and ${newest.endsOn.slice(0, 10)}.`)]
}
