import { fileURLToPath } from 'node:url'
import { secretKeys } from '../../../infra/settings/keys.ts'
import {
  type RecordSettings,
  readStackSettings,
  type SignInSettings,
  type StackSettings,
} from '../../../infra/settings/stack-settings.ts'
import { type ProgramOptions, type ProgramRun, runProgram } from '../../../sandbox/pulumi/engine/engine.ts'
import { minimalConfig, sessionKeys } from '../../support/configuration.ts'

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

/** What the endpoint needs to be a clock, too. */
export const withClock = {
  config: { clock: 'you/dns/dns.yml' },
  secrets: { clockToken: 'github_pat_0123456789abcdefghijkl' },
} as const

/** Returns the settings of the minimal configuration with changes, as the doctor reads them: without the secrets. */
export function settingsOf(changes: Readonly<Record<string, string>> = {}, now = Date.now()): StackSettings {
  const reading = readStackSettings(
    new Map(Object.entries({ ...minimalConfig, ...changes })),
    now,
    secretKeys,
  )
  if ('problems' in reading) throw new Error(reading.problems.join('\n'))
  return reading.value
}

/** Returns the part `record`, which the stack must have. */
export function recordOf({ record }: StackSettings): RecordSettings {
  if (record === null) throw new Error('The stack has no record.')
  return record
}

/** Returns the part `signIn`, which the stack must have. */
export function signInOf({ signIn }: StackSettings): SignInSettings {
  if (signIn === null) throw new Error('The stack has no sign-in.')
  return signIn
}

export interface StackOptions extends Omit<ProgramOptions, 'program' | 'config' | 'secrets'> {
  /** Changes to the minimal configuration; null removes a key. */
  readonly config?: Readonly<Record<string, string | null>>
  readonly secrets?: Readonly<Record<string, string | null>>
}

function keyed(values: Readonly<Record<string, string | null>>): Record<string, string> {
  const set = Object.entries(values).flatMap(([key, value]) =>
    value === null ? [] : [[key.includes(':') ? key : `homeport:${key}`, value] as const],
  )
  return Object.fromEntries(set)
}

/** The options of a run of the program: the minimal configuration with changes. */
export function stackOptions({ config = {}, secrets = {}, ...rest }: StackOptions = {}): ProgramOptions {
  return {
    program,
    config: keyed({ ...minimalConfig, ...config }),
    secrets: keyed({ sessionKeys, mintingApiToken, ...secrets }),
    ...rest,
  }
}

/** Runs the program without any service, as stack `dev` by default. */
export function runStack(options: StackOptions = {}): Promise<ProgramRun> {
  return runProgram(stackOptions(options))
}
