import { readdir } from 'node:fs/promises'
import { fieldOf } from '../../json.ts'
import { outputOf, Refusal } from '../../program.ts'
import { parseObject } from '../../pulumi-cli.ts'
import { type Parts, pushPlaces, signInPlaces } from '../../settings/readers.ts'
import type { StackSettings } from '../../settings/stack-settings.ts'
import { pushNames, tokenTypes, types } from '../../stack-facts.ts'
import { findIn, parseState, type StackState } from '../../stack-state.ts'
import { findingsOf, type StepFinding } from '../finding.ts'
import { readStack, type StackView } from '../stack.ts'

/** What was found on this machine. */
export interface Local {
  readonly findings: readonly StepFinding[]
  /** What the stack has, or will have. */
  readonly parts: Parts
  /** Null if there is no stack, or it could not be read. */
  readonly stack: StackView | null
  /** From the environment, or else from the stack; null if it is not known. Secret. */
  readonly mintingToken: string | null
}

const up = 'pulumi up --run-program --policy-pack infra/policy'

/** Reads the stack of this folder, if there is one. */
export async function readLocal(
  chosen: string | undefined,
  env: NodeJS.ProcessEnv,
  now: number,
): Promise<Local> {
  const { ok, missing } = findingsOf('stack')
  const given = env['CLOUDFLARE_MINTING_TOKEN'] || null
  const without = (finding: StepFinding): Local => ({
    findings: [finding],
    parts: partsIn(null, env),
    stack: null,
    mintingToken: given,
  })
  const files = (await readdir('.')).filter(name => /^Pulumi\..+\.ya?ml$/.test(name))
  if (files.length === 0)
    return without(
      missing('There is no stack yet: no file Pulumi.NAME.yaml is in this folder.', 'pulumi stack init prod'),
    )
  // The CLI marks an empty backend when it opens it, so it is asked only if there is a stack.
  if (!env['PULUMI_BACKEND_URL'])
    return without(
      missing('PULUMI_BACKEND_URL is not set.', 'export PULUMI_BACKEND_URL=… as when you created the stack'),
    )
  try {
    const stack = await readStack(chosen, now)
    const parts = partsIn(stack.settings, env)
    const minting = ['config', 'get', 'mintingApiToken', '--stack', stack.name, '--non-interactive']
    return {
      findings: [
        ok(`The stack is ${stack.name}.`),
        ...stack.problems.map(problem => missing(`homeport:${problem}`, fixIn(problem))),
        checkDeployed(stack.state, parts),
        ...(await checkKeptTokens(stack)),
      ],
      parts,
      stack,
      mintingToken:
        given ?? (parts.record ? ((await outputOf('pulumi', minting, process.env))?.trim() ?? null) : null),
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return without(missing(error.message, `pulumi stack select ${files[0]?.split('.')[1] ?? 'prod'}`))
  }
}

/** Looks for what a run creates last. */
function checkDeployed(state: StackState, { record, signIn, push }: Parts): StepFinding {
  const { ok, missing } = findingsOf('deploy')
  const wanted = [
    ...(record ? [types.record, tokenTypes] : []),
    ...(signIn === 'worker' ? [types.domain] : signIn === 'host' ? [types.password] : []),
  ]
  const isPushed = push === 'none' || findIn(state, types.domain, pushNames.domain) !== null
  if (isPushed && wanted.every(type => findIn(state, type))) return ok('The stack has been deployed.')
  const begun = state.resources.some(({ id }) => id !== null)
  return missing(begun ? 'The stack has been deployed in part.' : 'The stack has not been deployed.', up)
}

/** Returns the command that a problem with the configuration ends with. */
function fixIn(problem: string): string {
  const command = /(?:npm run|pulumi) [^.]*$/.exec(problem)?.[0]
  return command ?? `pulumi config set --plaintext ${problem.split(' ', 1)[0]} …`
}

/**
 * Returns which parts a stack has, or will have according to the environment until it exists.
 * @throws Refusal with status 2 if the environment has something else than the keys take
 */
function partsIn(
  settings: StackSettings | null,
  {
    HOMEPORT_RECORD: record = 'true',
    HOMEPORT_SIGN_IN: place = 'worker',
    HOMEPORT_PUSH: endpoint = 'none',
  }: NodeJS.ProcessEnv,
): Parts {
  if (settings) {
    const { signIn } = settings
    return {
      record: settings.record !== null,
      signIn: signIn === null ? 'none' : signIn.worker === null ? 'host' : 'worker',
      push: settings.push === null ? 'none' : 'worker',
    }
  }
  const signIn = signInPlaces.find(word => word === place)
  const push = pushPlaces.find(word => word === endpoint)
  if (signIn === undefined || push === undefined || !['true', 'false'].includes(record)) {
    throw new Refusal(
      'HOMEPORT_SIGN_IN must be worker, host or none, HOMEPORT_PUSH worker or none, and HOMEPORT_RECORD true or false, as the keys will be.',
      2,
    )
  }
  return { record: record === 'true', signIn, push }
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
  return [findingsOf('deploy').missing(text, up)]
}

/** Returns the text of a secret in a decrypted export, or of a plain input; null if there is none. */
function plaintextOf(input: unknown): string | null {
  const text = fieldOf(input, 'plaintext')
  const value: unknown = typeof text === 'string' ? JSON.parse(text) : input
  return typeof value === 'string' ? value : null
}
