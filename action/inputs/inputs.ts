import { readFileSync } from 'node:fs'
import { getProxyUrl } from '@actions/http-client/lib/proxy'
import { isObject, parseObject } from '../../lib/json.ts'
import type { RecordType } from '../../lib/record-type.ts'
import { redactTokenShapes } from '../../lib/redact.ts'
import { optional, readDuration } from '../../lib/settings/readers.ts'
import { readRows, type ValuesOf } from '../../lib/settings/table.ts'
import type { AddressInputs } from '../address/detect.ts'
import type { Reading } from '../problem.ts'
import { nameSettings, setting } from '../setting-names.ts'
import { type Environment, type Given, isAction } from './given.ts'
import { proxyProblems } from './services.ts'
import { table } from './table.ts'

const intervalLimits = { minMs: 1000, maxMs: 24 * 60 * 60 * 1000, range: '1s to 24h, such as 5m' }

/** The inputs, and the flag of the command that makes it watch. */
const rows = {
  ...table,
  '--watch': {
    field: 'intervalMs',
    read: optional((text: string) => readDuration(text, intervalLimits)),
  },
} as const

type Values = ValuesOf<typeof rows>

/**
 * Reads every input once, and names them as they were given from then on. Returns either all, or one problem that lists every wrong
 * input with its fix. Blank counts as left out: the runner does not enforce `required`, and passes a missing secret as an empty string.
 */
export function readInputs(
  given: Given,
  env: Environment,
  proxyOf: (url: string) => string | null = url => getProxyUrl(new URL(url))?.href ?? null,
): Reading<Inputs> {
  nameSettings(given.nameOf)
  const context = { tokenHint: given.tokenHint, proxyOf }
  const read = readRows(rows, given.texts, { context, nameOf: setting })
  const values: Partial<Values> = read.values
  const problems = [...given.problems.map(redactTokenShapes), ...read.problems, ...proxyProblems(env)]
  const isHosted = env['RUNNER_ENVIRONMENT'] === 'github-hosted'
  const sources = [...(values.sources?.values() ?? [])].flat()
  const isOfGitHub = isHosted && sources.some(({ kind }) => kind !== 'dns')
  const all = isOfGitHub ? [...problems, hostedProblem] : problems
  const reason = problems.length > 0 ? 'invalid-input' : 'hosted-runner'
  // Each row that was not refused has set its field.
  return all.length > 0
    ? { problem: { reason, message: all.join('\n') } }
    : { value: inputsOf(values as Values, env) }
}

/** Everything the run was asked to do, validated. */
export type Inputs = Readonly<ReturnType<typeof inputsOf>>

/** Returns the values of all rows, and what follows from several of them or from the environment. */
function inputsOf(values: Values, env: Environment) {
  const { expectedCidrs, allowReserved, ttl, proxied, onDrift, create } = values
  const { dryRun, heartbeatUrl, notifyUrl, notifyFormat, maskAddress } = values
  const addressOf = (type: RecordType): AddressInputs => {
    const address = values.givenAddresses.get(type)
    return {
      type,
      source:
        address === undefined
          ? { kind: 'asked', sources: values.sources.get(type) ?? [] }
          : { kind: 'given', address },
      suffixes: type === 'AAAA' ? values.suffixes : new Map(),
    }
  }
  return {
    ...values,
    /** One for each record type, A before AAAA. */
    addresses: values.types.map(addressOf),
    addressRules: { expectedCidrs, allowReserved },
    record: { ttl, proxied, onDrift, create },
    /** The monitor to notify of each round; null for none, and in a dry run. */
    heartbeatUrl: dryRun ? null : heartbeatUrl,
    /** Whom to tell of changes; null for nobody. */
    notify: notifyUrl === null ? null : { url: notifyUrl, format: notifyFormat },
    /**
     * Whether to redact addresses in logs, annotations and the summary. `auto` does so in GitHub's logs, unless the run's event says
     * that the repository is private. Outside GitHub, nobody else reads the log.
     */
    maskAddress:
      maskAddress === 'auto'
        ? isAction(env) && !isPrivateRepository(env['GITHUB_EVENT_PATH'])
        : maskAddress === 'true',
  }
}

const hostedProblem =
  'This job runs on a GitHub-hosted runner, so echo services and interfaces would put an address of GitHub into your DNS. Use a ' +
  'self-hosted runner on the network whose address you want published, pass the address in the input address, or use a dns: source.'

function isPrivateRepository(eventPath: string | undefined): boolean {
  if (!eventPath) return false
  try {
    const repository = parseObject(readFileSync(eventPath, 'utf8'))?.['repository']
    return isObject(repository) && repository['private'] === true
  } catch {
    return false
  }
}
