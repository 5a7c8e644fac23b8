import { cloudflareApiUrl } from '../lib/cloudflare.ts'
import { findIn, readState, type StackState, type StateResource } from './exported-state.ts'
import { textOf } from './json.ts'
import { pushNameOf, pushNames, serviceNameOf, tokenTypes, types } from './resource-names.ts'
import { askPulumi, parseObject } from './run-program.ts'
import { secretKeys } from './settings/keys.ts'
import { readStackSettings } from './settings/read.ts'
import type { StackSettings } from './settings/stack-settings.ts'

/** Names at Cloudflare. */
interface ServiceNames {
  /** Of a Worker. It stays when the stack is renamed. */
  readonly serviceName: string
  /** That only its token has: the present one and, until the next run renames the token, an earlier one. */
  readonly tokenNames: readonly string[]
}

/** What the CLI says about a stack. Its own names are those of the sign-in's Worker and the DNS token. */
export interface StackView extends ServiceNames {
  readonly name: string
  /** The names of the push endpoint. */
  readonly push: ServiceNames
  /** Null if the configuration is wrong. */
  readonly settings: StackSettings | null
  /** What is wrong with the configuration, by key. */
  readonly problems: readonly string[]
  /** Of Cloudflare: `cloudflare:baseUrl`, or else that of the environment, or the public one. */
  readonly apiUrl: string
  /** What it created, even if the last run failed. */
  readonly state: StackState
}

/** Reads the name, configuration and state of a stack. Needs no passphrase. @throws CommandError if the CLI fails */
export async function readStack(chosen: string | undefined, now: number): Promise<StackView> {
  const selected = chosen === undefined ? [] : ['--stack', chosen]
  const name = (await askPulumi(['stack', '--show-name', ...selected])).trim()
  const [config, state] = await Promise.all([
    askPulumi(['config', '--json', ...selected]).then(parseObject),
    readState(name),
  ])
  const given = textsIn(config)
  const reading = readStackSettings(given, now, secretKeys)
  // A configuration that is refused can lead to another host.
  const own = 'value' in reading ? given.get('cloudflare:baseUrl') : undefined
  return {
    name,
    ...namesOf(name, state),
    settings: 'value' in reading ? reading.value : null,
    problems: 'problems' in reading ? reading.problems : [],
    apiUrl: own ?? (process.env['CLOUDFLARE_BASE_URL'] || cloudflareApiUrl),
    state,
  }
}

/** Returns the texts of what `pulumi config --json` printed, by key. It leaves out the text of a secret that it cannot show. */
export function textsIn(config: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const texts = Object.entries(config).map(([key, entry]) => [key, textOf(entry, 'value')] as const)
  return new Map(texts.flatMap(([key, text]) => (text === null ? [] : [[key, text] as const])))
}

/** Returns the names that a stack has, or will have after its first run. */
export function namesOf(stack: string, state: StackState): ServiceNames & Pick<StackView, 'push'> {
  const [script, token] = [findIn(state, types.script), findIn(state, tokenTypes)]
  const pushed = findIn(state, types.script, pushNames.script)
  return {
    ...namesIn(serviceNameOf(stack), script, token),
    push: namesIn(pushNameOf(stack), pushed, findIn(state, tokenTypes, pushNames.token)),
  }
}

/** @param own the names before the first run */
function namesIn(own: string, script: StateResource | null, token: StateResource | null): ServiceNames {
  const tokenName = textOf(token?.inputs, 'name') ?? own
  return {
    serviceName: textOf(script?.inputs, 'scriptName') ?? own,
    tokenNames: [...new Set([own, tokenName])],
  }
}
