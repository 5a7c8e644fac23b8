import { fileURLToPath } from 'node:url'
import type { Stack as PolicyStack } from '../../../infra/policy/rule.ts'
import { readWorkerBundle, type WorkerBundle } from '../../../infra/resources/worker-bundle.ts'
import { type Key, secretKeys } from '../../../infra/settings/keys.ts'
import { readStackSettings } from '../../../infra/settings/read.ts'
import type { StackSettings } from '../../../infra/settings/stack-settings.ts'
import { type ProgramOptions, type ProgramRun, runProgram } from '../../../sandbox/pulumi/engine/engine.ts'
import { root } from '../../../tools/bundle.ts'
import { minimalConfig, sessionKeys } from '../../support/configuration.ts'
import { expectValue } from '../../support/expect-value.ts'

const program = fileURLToPath(new URL('../../../infra/index.ts', import.meta.url))

/** Like the session keys, it may appear only in values that are marked as secret. */
export const mintingApiToken = 'minting_0123456789abcdefghijklmnopqrstuvwxyz'

/** The hash of a router's password. It may appear only in values that are marked as secret. */
export const pushHash = 'ab54'.repeat(16)
export const pushHosts = `home.example.com A sha256:${pushHash}\n`
/** What a stack needs for the push endpoint besides. */
export const withPush = {
  config: { push: 'worker', pushOrigin: 'https://push.example.com' },
  secrets: { pushHosts },
} as const

/** What a stack needs for a clock. */
export const withClock = {
  config: { clock: 'you/dns/dns.yml' },
  secrets: { clockToken: 'github_pat_0123456789abcdefghijkl' },
} as const

/** Changes that leave a stack without a sign-in, and without its keys. */
export const withoutSignIn = {
  config: {
    signIn: 'none',
    publicOrigin: null,
    secretRotationA: null,
    secretRotationB: null,
    allowedDomains: null,
  },
  secrets: { sessionKeys: null },
} as const

type Given = Readonly<Record<string, string | null>>

/** Reads a configuration with its secrets, as the program does. Null: the key is not set. */
function readConfig(given: Given, now: number, withheld: readonly Key[] = []) {
  return readStackSettings(new Map(Object.entries(keyed(given))), now, withheld)
}

/** Returns the settings of the minimal configuration with changes, as the commands read them: without the secrets. */
export function settingsOf(changes: Given): StackSettings {
  return settingsIn({ ...minimalConfig, ...changes }, Date.now(), secretKeys)
}

/** Returns the settings of a configuration that is right. */
export function settingsIn(given: Given, now = Date.now(), withheld: readonly Key[] = []): StackSettings {
  return expectValue(readConfig(given, now, withheld))
}

/** Returns what is wrong with a configuration, with its keys as the caller wrote them. */
export function problemsIn(given: Given, now = Date.now()): readonly string[] {
  const reading = readConfig(given, now)
  return 'problems' in reading ? reading.problems.map(text => text.replace(/^homeport:/, '')) : []
}

export interface StackOptions extends Omit<ProgramOptions, 'program' | 'config' | 'secrets'> {
  /** Changes to the minimal configuration; null removes a key. */
  readonly config?: Given
  readonly secrets?: Given
}

function keyed(values: Given): Record<string, string> {
  const set = Object.entries(values).flatMap(([key, value]) =>
    value === null ? [] : [[key.includes(':') ? key : `homeport:${key}`, value] as const],
  )
  return Object.fromEntries(set)
}

const bundles = new Map<string, WorkerBundle>()

/** Returns a Worker's bundle, which is read and compared with all its sources once. */
const readBundle: PolicyStack['readBundle'] = (name = 'worker') => {
  const bundle = bundles.get(name) ?? readWorkerBundle(root, name)
  bundles.set(name, bundle)
  return bundle
}

/** Returns the stack of a run, as the policies see it. */
export function policyStack({ config = {}, secrets = {} }: StackOptions = {}): PolicyStack {
  const own = keyed({ ...minimalConfig, ...config })
  const all = { ...own, ...keyed({ sessionKeys, mintingApiToken, ...secrets }) }
  return { project: 'homeport', name: 'dev', config: new Map(Object.entries(all)), env: {}, readBundle }
}

/** Runs the program without any service, as stack `dev` by default: the minimal configuration with changes. */
export function runStack({ config = {}, secrets = {}, ...rest }: StackOptions = {}): Promise<ProgramRun> {
  return runProgram({
    program,
    config: keyed({ ...minimalConfig, ...config }),
    secrets: keyed({ sessionKeys, mintingApiToken, ...secrets }),
    ...rest,
  })
}
