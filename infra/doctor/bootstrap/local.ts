import { readdir, readFile } from 'node:fs/promises'
import { CommandError } from '../../../lib/command.ts'
import { quoteValue } from '../../../lib/quote.ts'
import { findIn, type StackState } from '../../exported-state.ts'
import { fieldOf } from '../../json.ts'
import { parseObject } from '../../pulumi-cli.ts'
import { clockNames, pushNames, tokenTypes, types } from '../../resource-names.ts'
import { outputOf } from '../../run-program.ts'
import { fixOf } from '../../settings/keys.ts'
import type { StackSettings } from '../../settings/stack-settings.ts'
import { readStack, type StackView } from '../stack-view.ts'
import { type Finding, findingsOf } from './steps.ts'

/** What the stack has, or will have according to the environment until it exists. */
export type Plan = ReturnType<typeof planOf>

/** What was found on this machine. */
export interface Local {
  readonly findings: readonly Finding[]
  readonly plan: Plan
  /** Whether there is a stack that could not be read, so that its plan is a guess. */
  readonly isUnread: boolean
  /** Null if there is no stack, or it could not be read. */
  readonly stack: StackView | null
  /** From the stack, or until it exists from the environment; null if it is not known. Secret. */
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

/** Reads the stack of this folder, if there is one. */
export async function readLocal(chosen: string | undefined, env: NodeJS.ProcessEnv): Promise<Local> {
  const [file] = (await readdir('.')).filter(name => /^Pulumi\..+\.ya?ml$/.test(name))
  // The CLI would ask for an account at Pulumi Cloud, and marks an empty backend when it opens it.
  const findings = env['PULUMI_BACKEND_URL']
    ? []
    : [
        findingsOf('state').missing(
          'PULUMI_BACKEND_URL is not set.',
          'Set it as the page says, for azblob:// with AZURE_STORAGE_ACCOUNT.',
        ),
      ]
  const mintingToken = env['CLOUDFLARE_MINTING_TOKEN'] || null
  const without = { plan: planOf(null, env), isUnread: false, stack: null, mintingToken, isLocked: false }
  if (file === undefined) {
    const first = env['PULUMI_CONFIG_PASSPHRASE']
      ? ''
      : ' (before it, set PULUMI_CONFIG_PASSPHRASE as the page says)'
    const text = 'There is no stack yet: no file Pulumi.NAME.yaml is in this folder.'
    return { ...without, findings: [...findings, missing(text, `pulumi stack init prod${first}`)] }
  }
  const place = /^ +homeport:signIn: (\w+)$/m.exec(await readFile(file, 'utf8'))?.[1] ?? 'worker'
  try {
    if (findings.length === 0) return await readDeployed(await readStack(chosen, Date.now()), place, env)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    findings.push(missing(error.message, `pulumi stack select ${file.split('.')[1]}`))
  }
  return { ...without, findings, plan: planOf(null, { HOMEPORT_SIGN_IN: place }), isUnread: true }
}

/** @param place the stack's key signIn */
async function readDeployed(stack: StackView, place: string, env: NodeJS.ProcessEnv): Promise<Local> {
  const wanted = env['HOMEPORT_SIGN_IN']
  const isOther = wanted !== undefined && wanted !== place
  // What the operator wants explains more than what the stack has by mistake.
  const plan = planOf(isOther ? null : stack.settings, env)
  const show = ['config', '--json', '--show-secrets', '--stack', stack.name, '--non-interactive']
  const decrypted = await outputOf('pulumi', show, process.env)
  const config = decrypted === null ? null : parseObject(decrypted)
  const minting = config && fieldOf(config['homeport:mintingApiToken'], 'value')
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
    ...stack.problems.map(problem => missing(problem, 'docs/stack.md has a table of the keys.')),
    ...(stack.settings?.signIn?.credential === 'certificate' &&
    config &&
    !config['homeport:clientCertificate']
      ? [missing('The key clientCertificate is missing.', fixOf('clientCertificate').replace(/^.*?: /, ''))]
      : []),
    checkDeployed(stack.state, plan),
    ...(config === null ? [locked] : []),
  ]
  const mintingToken = typeof minting === 'string' ? minting : null
  return { findings, plan, isUnread: false, stack, mintingToken, isLocked: config === null }
}

/** @param settings null until the stack exists, or if they are wrong */
function planOf(settings: StackSettings | null, env: NodeJS.ProcessEnv) {
  const { HOMEPORT_SIGN_IN: place = 'worker', HOMEPORT_PUSH: endpoint } = env
  return {
    hasRecord: settings?.record !== null,
    hasSignIn: settings ? settings.signIn !== null : place !== 'none',
    /** Whether people sign in at a Worker. */
    hasHandler: settings ? Boolean(settings.signIn?.worker) : place === 'worker',
    hasPush: settings ? settings.push !== null : endpoint === 'worker',
    hasClock: Boolean(settings?.clock),
    zoneId: settings?.zoneId || idIn(env['CLOUDFLARE_ZONE_ID']),
    accountId: settings?.accountId || idIn(env['CLOUDFLARE_ACCOUNT_ID']),
  }
}

/** Returns an ID that is safe in a path, or null. */
const idIn = (text = ''): string | null => (/^[0-9a-f]{32}$/.test(text) ? text : null)

/** Looks for what a run creates last. The outputs stay when `destroy` leaves what is protected. */
function checkDeployed(
  state: StackState,
  { hasRecord, hasSignIn, hasHandler, hasPush, hasClock }: Plan,
): Finding {
  const last = [
    ...(hasRecord ? [findIn(state, types.record), findIn(state, tokenTypes)] : []),
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
