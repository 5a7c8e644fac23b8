import type { AddressRules } from '../address/check.ts'
import type { AddressSource } from '../address/detect.ts'
import type { Problem } from '../problem.ts'
import type { RecordRules, Target } from '../records/record.ts'
import { readAddressRules, readSource } from './address.ts'
import { checkProxies } from './proxies.ts'
import { actionInputs, createReader, type Environment, readBoolean, readDuration } from './reader.ts'
import { readRecordRules } from './record.ts'
import { readMaskChoice } from './report-options.ts'
import { readBaseUrl, readToken } from './service.ts'
import { readTargets } from './targets.ts'

/** Everything the run was asked to do, validated. */
export interface Settings {
  readonly token: string
  readonly targets: readonly Target[]
  readonly source: AddressSource
  readonly addressRules: AddressRules
  readonly record: RecordRules
  readonly dryRun: boolean
  /** Root of the API, without a slash at the end. */
  readonly baseUrl: string
  readonly timeoutMs: number
}

export type Reading =
  | { readonly kind: 'settings'; readonly settings: Settings }
  | { readonly kind: 'refused'; readonly problem: Problem }

const timeoutLimits = { minMs: 1000, maxMs: 15 * 60 * 1000, range: '1s to 15m' }

/**
 * Reads every input once. Returns either all settings, or one problem that lists every wrong input with its fix. Blank
 * counts as left out: the runner does not enforce `required`, and passes a missing secret as an empty text.
 */
export function readSettings(env: Environment): Reading {
  const problems: string[] = []
  const read = createReader(actionInputs(env), problems)
  const settings: Settings = {
    token: readToken(read),
    targets: readTargets(read),
    source: readSource(read),
    addressRules: readAddressRules(read),
    record: readRecordRules(read),
    dryRun: readBoolean(read, 'dry-run'),
    baseUrl: readBaseUrl(read),
    timeoutMs: readDuration(read, 'timeout', timeoutLimits),
  }
  const allowHostedRunner = readBoolean(read, 'allow-hosted-runner')
  readMaskChoice(read)
  checkProxies(read, env)

  const hosted =
    settings.source.kind === 'echo' && env['RUNNER_ENVIRONMENT'] === 'github-hosted' && !allowHostedRunner
  if (problems.length > 0) {
    const message = [...problems, ...(hosted ? [hostedRunnerMessage] : [])].join('\n')
    return { kind: 'refused', problem: { reason: 'invalid-input', message } }
  }
  if (hosted) return { kind: 'refused', problem: { reason: 'hosted-runner', message: hostedRunnerMessage } }
  return { kind: 'settings', settings }
}

const hostedRunnerMessage =
  'This job runs on a GitHub-hosted runner. Its public address belongs to GitHub and changes with every run, so echo ' +
  'services would put an address of GitHub into your DNS. Use a self-hosted runner on the network whose address you ' +
  'want published, or pass the address in the input address. If you do want the address of the runner, set ' +
  'allow-hosted-runner: true.'
