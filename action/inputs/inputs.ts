import { readFileSync } from 'node:fs'
import { getProxyUrl } from '@actions/http-client/lib/proxy'
import { isObject, parseObject } from '../../lib/json.ts'
import { redactTokenShapes } from '../../lib/redact.ts'
import { choice, optional, readDuration, secretUrl } from '../../lib/settings/readers.ts'
import type { AddressInputs } from '../address/detect.ts'
import type { Reading } from '../problem.ts'
import { nameSettings } from '../text/setting.ts'
import { checkProxiedEchoes, missingFamilies, readAddresses, readAddressRules } from './addresses.ts'
import {
  createReader,
  type Environment,
  type Given,
  isAction,
  type Reader,
  readBoolean,
  readInput,
} from './reader.ts'
import { readRecordRules, readTargets, readVerify } from './records.ts'
import { proxyProblems, readBaseUrl, readNotify, readToken } from './services.ts'
import { rows } from './table.ts'

const intervalLimits = { minMs: 1000, maxMs: 24 * 60 * 60 * 1000, range: '1s to 24h, such as 5m' }
const timeoutLimits = { minMs: 1000, maxMs: 15 * 60 * 1000, range: '1s to 15m, such as 60s' }

/**
 * Reads every input once, and names them as they were given from then on. Returns either all, or one problem that lists every wrong input with its fix. Blank
 * counts as left out: the runner does not enforce `required`, and passes a missing secret as an empty string.
 */
export function readInputs(
  given: Given,
  env: Environment,
  proxyOf: (url: string) => string | null = url => getProxyUrl(new URL(url))?.href ?? null,
): Reading<Inputs> {
  nameSettings(given.nameOf)
  const problems = given.problems.map(redactTokenShapes)
  const read = createReader(given, problems)
  const inputs = readAll(read, given, env)
  problems.push(...proxyProblems(env))
  checkProxiedEchoes(read, inputs.addresses, inputs.addressRules, proxyOf)
  const types = inputs.addresses.map(({ type }) => type)
  for (const problem of missingFamilies(inputs.addressRules.expectedCidrs, types))
    read.addProblem('expected-cidr', problem)

  const hosted = env['RUNNER_ENVIRONMENT'] === 'github-hosted' ? unusableWhenHosted(inputs.addresses) : []
  const reason = problems.length > 0 ? 'invalid-input' : 'hosted-runner'
  const all = [...problems, ...hosted]
  return all.length > 0 ? { problem: { reason, message: all.join('\n') } } : { value: inputs }
}

/** Everything the run was asked to do, validated. */
export type Inputs = Readonly<ReturnType<typeof readAll>>

function readAll(read: Reader, given: Given, env: Environment) {
  const token = readTokenOf(read, given.tokenHint)
  const targets = readTargets(read)
  const dryRun = readBoolean(read, 'dry-run')
  const heartbeatUrl = readInput(read, 'heartbeat-url', optional(secretUrl), null)
  return {
    token,
    targets,
    /** One for each record type, A before AAAA. */
    addresses: readAddresses(read, targets),
    addressRules: readAddressRules(read),
    record: readRecordRules(read),
    dryRun,
    verify: readVerify(read),
    /** Root of the API, without a slash at the end. */
    baseUrl: readInput(read, 'base-url', readBaseUrl, ''),
    timeoutMs: readInput(read, 'timeout', text => readDuration(text, timeoutLimits), 0),
    /** From one round to the next, until the process is asked to stop; null for a single round. */
    intervalMs: readInterval(read, given.watch),
    /** The monitor to notify of each round; null for none, and in a dry run. */
    heartbeatUrl: dryRun ? null : heartbeatUrl,
    /** Whom to tell of changes; null for nobody. */
    notify: readNotify(read),
    /** Whether to redact addresses in logs, annotations and the summary. */
    maskAddress: readMaskAddress(read, env),
  }
}

/** Reads `api-token`. The hint says what to do if it is missing; null if that has been said. */
function readTokenOf(read: Reader, hint: string | null): string {
  const token = read.text('api-token')
  if (token !== '') return readInput(read, 'api-token', readToken, '')
  if (hint !== null) read.addProblem('api-token', `is empty. ${hint}`)
  return ''
}

/** Reads `--watch`; null for a single round. */
function readInterval(read: Reader, text: string | null): number | null {
  if (text === null) return null
  const reading = readDuration(text, intervalLimits)
  if ('value' in reading) return reading.value
  for (const problem of reading.problems) read.addProblem('--watch', problem)
  return null
}

/** Returns why these sources cannot be used on a GitHub-hosted runner; nothing if they can. */
function unusableWhenHosted(addresses: readonly AddressInputs[]): readonly string[] {
  const sources = addresses.flatMap(({ source }) => (source.kind === 'asked' ? source.sources : []))
  const refused = (['interface', 'echo'] as const).find(kind => sources.some(source => source.kind === kind))
  return refused ? [hostedMessages[refused]] : []
}

const hostedMessages = {
  interface:
    'This job runs on a GitHub-hosted runner, which has no public address of yours on any interface. Remove the interface: ' +
    'lines from address-sources, or use a self-hosted runner on the host that has the address.',
  echo:
    'This job runs on a GitHub-hosted runner, so echo services would ' +
    'put an address of GitHub into your DNS. Use a self-hosted runner on the network whose address you ' +
    'want published, pass the address in the input address, or use a dns: source.',
}

/**
 * Reads `mask-address`. `auto` masks in GitHub's logs unless the run's event says that the repository is private. Outside
 * GitHub, nobody else reads the log.
 */
function readMaskAddress(read: Reader, env: Environment): boolean {
  const masked = readInput(read, 'mask-address', choice(...rows['mask-address'].choices), 'auto')
  if (masked !== 'auto') return masked === 'true'
  return isAction(env) && !isPrivateRepository(env['GITHUB_EVENT_PATH'])
}

function isPrivateRepository(eventPath: string | undefined): boolean {
  if (!eventPath) return false
  try {
    const repository = parseObject(readFileSync(eventPath, 'utf8'))?.['repository']
    return isObject(repository) && repository['private'] === true
  } catch {
    return false
  }
}
