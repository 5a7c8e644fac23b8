import { readdir, readFile } from 'node:fs/promises'
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
  /** From the stack, or until it exists from the environment; null if it is not known. Secret. */
  readonly mintingToken: string | null
}

/** A backend other than Pulumi Cloud encrypts with a passphrase. */
const locked = findingsOf('stack').missing(
  "The CLI cannot decrypt the stack's secrets: PULUMI_CONFIG_PASSPHRASE is missing or wrong.",
  'read -rs PULUMI_CONFIG_PASSPHRASE && export PULUMI_CONFIG_PASSPHRASE',
)

const up = 'pulumi up --run-program --policy-pack infra/policy'

/** Reads the stack of this folder, if there is one. */
export async function readLocal(
  chosen: string | undefined,
  env: NodeJS.ProcessEnv,
  now: number,
): Promise<Local> {
  const { ok, missing } = findingsOf('stack')
  const files = (await readdir('.')).filter(name => /^Pulumi\..+\.ya?ml$/.test(name))
  const [file] = files
  const text = file === undefined ? '' : await readFile(file, 'utf8')
  const place = /^ +homeport:signIn: (\w+)$/m.exec(text)?.[1]
  const without = (...findings: readonly StepFinding[]): Local => ({
    findings,
    parts: partsIn(null, place === undefined ? env : { HOMEPORT_SIGN_IN: place, ...env }),
    stack: null,
    mintingToken: env['CLOUDFLARE_MINTING_TOKEN'] || null,
  })
  // The CLI would ask for an account at Pulumi Cloud, and marks an empty backend when it opens it.
  const backend = env['PULUMI_BACKEND_URL']
    ? []
    : [
        findingsOf('state').missing(
          'PULUMI_BACKEND_URL is not set.',
          file === undefined
            ? 'Set it as the page says.'
            : 'export PULUMI_BACKEND_URL=… as when you created the stack',
        ),
      ]
  if (file === undefined)
    return without(
      ...backend,
      missing('There is no stack yet: no file Pulumi.NAME.yaml is in this folder.', 'pulumi stack init prod'),
    )
  if (backend.length > 0) return without(...backend)
  try {
    const stack = await readStack(chosen, now)
    const parts = partsIn(stack.settings, env)
    const decrypted = await reveal(stack, 'config', '--json')
    const config = decrypted === null ? null : parseObject(decrypted)
    const minting = config && fieldOf(config['homeport:mintingApiToken'], 'value')
    return {
      findings: [
        ok(`The stack is ${stack.name}.`),
        ...stack.problems.map(problem => missing(`homeport:${problem}`, fixIn(problem))),
        checkDeployed(stack.state, parts),
        ...(config === null ? [locked] : await checkKeptTokens(stack, config)),
      ],
      parts,
      stack,
      mintingToken: typeof minting === 'string' ? minting : null,
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return without(missing(error.message, `pulumi stack select ${file.split('.')[1]}`))
  }
}

/** Returns what a command prints with secrets in clear; null if the CLI cannot decrypt them. */
function reveal({ name }: StackView, ...command: readonly string[]): Promise<string | null> {
  const show = ['--show-secrets', '--stack', name, '--non-interactive']
  return outputOf('pulumi', [...command, ...show], process.env)
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

/** Compares the tokens of the last run with those of the decrypted configuration. The values stay in this process. */
async function checkKeptTokens(
  stack: StackView,
  configured: Readonly<Record<string, unknown>>,
): Promise<readonly StepFinding[]> {
  if (!stack.state.resources.some(({ type }) => Object.hasOwn(kept, type))) return []
  const exported = await reveal(stack, 'stack', 'export')
  if (exported === null) return [locked]
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
