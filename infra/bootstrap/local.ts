import { readdir, readFile } from 'node:fs/promises'
import { CommandError } from '../../lib/command.ts'
import { quoteValue } from '../../lib/quote.ts'
import { findIn, type StackState } from '../exported-state.ts'
import { clockNames, pushNames, tokenTypes, types } from '../resource-names.ts'
import { outputOf, parseObject } from '../run-program.ts'
import { readStackSettings } from '../settings/read.ts'
import type { RecordPlan, StackSettings } from '../settings/stack-settings.ts'
import { readStack, type StackView, textsIn } from '../stack-view.ts'
import { type Finding, findingsOf } from './steps.ts'
import { readTerminal, terminalOf } from './terminal.ts'

/** What the stack has, or will have according to the environment until it exists. */
export interface Plan {
  readonly hasSignIn: boolean
  /** Whether people sign in at a Worker. */
  readonly hasHandler: boolean
  readonly hasPush: boolean
  readonly hasClock: boolean
  readonly zoneId: string | null
  readonly accountId: string | null
  /** Null for a stack without records. */
  readonly records: readonly RecordPlan[] | null
  /** Of Workers. */
  readonly hosts: readonly string[]
}

/** What was found on this machine. */
export interface Local {
  readonly findings: readonly Finding[]
  readonly plan: Plan
  /** Whether there is a stack that could not be read, so that its plan is a guess. */
  readonly isUnread: boolean
  /** Null if there is no stack, or it could not be read. */
  readonly stack: StackView | null
  /** Secret. From the stack, or from the environment until there is one; null if neither has it. */
  readonly mintingToken: string | null
  /** Whether the CLI cannot decrypt what the stack has. */
  readonly isLocked: boolean
}

const { ok, missing } = findingsOf('stack')
const deploy = findingsOf('deploy')

/** A backend other than Pulumi Cloud encrypts with a passphrase. */
const locked = missing(
  "The CLI cannot decrypt the stack's secrets: PULUMI_CONFIG_PASSPHRASE is missing or wrong.",
  'export PULUMI_CONFIG_PASSPHRASE=$(cat secrets/passphrase)',
)

/** The file of a stack, with its name, which can have dots. */
const stackFile = /^Pulumi\.(.+)\.ya?ml$/

/** Reads the stack of this folder, if there is one. */
export async function readLocal(chosen: string | undefined, env: NodeJS.ProcessEnv): Promise<Local> {
  const files = (await readdir('.')).flatMap(file => {
    const name = stackFile.exec(file)?.[1]
    return name === undefined ? [] : { name, file }
  })
  const [found] = files
  // The CLI would ask for an account at Pulumi Cloud, and marks an empty backend when it opens it.
  const findings = env['PULUMI_BACKEND_URL']
    ? []
    : [
        findingsOf('state').missing(
          'PULUMI_BACKEND_URL is not set.',
          'Set it as the page says. For azblob://, set AZURE_STORAGE_ACCOUNT, too.',
        ),
      ]
  const mintingToken = env['CLOUDFLARE_MINTING_TOKEN'] || null
  const terminal = readTerminal(env)
  const plan = planOf(null, terminal.values)
  const without = { plan, isUnread: false, stack: null, mintingToken, isLocked: false }
  if (found === undefined) {
    const first = env['PULUMI_CONFIG_PASSPHRASE']
      ? ''
      : ' (before it, set PULUMI_CONFIG_PASSPHRASE as the page says)'
    const text = 'There is no stack yet: no file Pulumi.NAME.yaml is in this folder.'
    const create = missing(text, `pulumi stack init prod${first}`)
    return { ...without, findings: [...terminal.findings, ...findings, create] }
  }
  /** Returns the key signIn of a stack. */
  const placeOf = async (stack: string | undefined) => {
    const { file } = files.find(({ name }) => name === stack) ?? found
    return /^ +homeport:signIn: (\w+)$/m.exec(await readFile(file, 'utf8'))?.[1] ?? 'worker'
  }
  try {
    if (findings.length === 0) {
      const stack = await readStack(chosen, Date.now())
      return await readDeployed(stack, await placeOf(stack.name), env)
    }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    findings.push(missing(error.message, `pulumi stack select ${found.name}`))
  }
  const guess = planOf(null, readTerminal({ HOMEPORT_SIGN_IN: await placeOf(chosen) }).values)
  return { ...without, findings, plan: guess, isUnread: true }
}

/** @param place the stack's key signIn */
async function readDeployed(stack: StackView, place: string, env: NodeJS.ProcessEnv): Promise<Local> {
  const wanted = env['HOMEPORT_SIGN_IN'] || place
  const isOther = wanted !== place
  const show = ['config', '--json', '--show-secrets', '--stack', stack.name, '--non-interactive']
  const decrypted = await outputOf('pulumi', show, process.env)
  const config = decrypted === null ? null : textsIn(parseObject(decrypted))
  // The operator's choice explains more than a mistake in the stack.
  const terminal = isOther ? env : terminalOf(config ?? new Map([['homeport:signIn', place]]))
  const plan = planOf(isOther ? null : stack.settings, readTerminal(terminal).values)
  // The tokens are checked by using them.
  const reading = config && readStackSettings(config, Date.now(), ['mintingApiToken'])
  const problems = reading && 'problems' in reading ? reading.problems : stack.problems
  const findings = [
    ok(`The stack is ${stack.name}.`),
    ...(isOther
      ? [
          missing(
            `HOMEPORT_SIGN_IN is ${quoteValue(wanted)}, and the stack's key signIn is ${place}.`,
            'pulumi config set --plaintext signIn "$HOMEPORT_SIGN_IN" (if the stack is right: unset HOMEPORT_SIGN_IN)',
          ),
        ]
      : []),
    ...problems.map(problem => missing(problem, 'docs/stack.md has a table of the keys.')),
    checkDeployed(stack.state, plan),
    ...(config === null ? [locked] : []),
  ]
  const mintingToken = config?.get('homeport:mintingApiToken') ?? null
  return { findings, plan, isUnread: false, stack, mintingToken, isLocked: config === null }
}

/** @param settings null until the stack exists, or if they are wrong */
function planOf(settings: StackSettings | null, terminal: ReturnType<typeof readTerminal>['values']): Plan {
  if (settings) {
    const { record, signIn, push, clock, zoneId, accountId } = settings
    return {
      hasSignIn: signIn !== null,
      hasHandler: Boolean(signIn?.worker),
      hasPush: push !== null,
      hasClock: clock !== null,
      zoneId: zoneId || null,
      accountId: accountId || null,
      records: record?.plans ?? null,
      hosts: [signIn?.worker, push].flatMap(place => place?.host ?? []),
    }
  }
  const { signIn = 'worker', push, zoneId = null, accountId = null, hostname = [], publicOrigin } = terminal
  return {
    hasSignIn: signIn !== 'none',
    hasHandler: signIn === 'worker',
    hasPush: push === 'worker',
    hasClock: false,
    zoneId,
    accountId,
    records: hostname.map(name => ({ name, type: 'A', importId: null })),
    hosts: publicOrigin ? [publicOrigin[0].hostname] : [],
  }
}

/** Looks for what a run creates last. The outputs stay when `destroy` leaves what is protected. */
function checkDeployed(
  state: StackState,
  { records, hasSignIn, hasHandler, hasPush, hasClock }: Plan,
): Finding {
  const last = [
    ...(records ? [findIn(state, types.record), findIn(state, tokenTypes)] : []),
    ...(hasSignIn ? [findIn(state, hasHandler ? types.domain : types.principal)] : []),
    ...(hasPush ? [findIn(state, types.domain, pushNames.domain)] : []),
    ...(hasClock ? [findIn(state, types.trigger, clockNames.trigger)] : []),
  ]
  if (last.every(Boolean)) return deploy.ok('The stack has been deployed.')
  const begun = state.resources.some(({ id }) => id !== null)
  return deploy.missing(
    `The stack has ${begun ? 'been deployed in part' : 'not been deployed'}.`,
    'pulumi up',
  )
}
