#!/usr/bin/env node
import type { Exchange } from '../lib/exchange.ts'
import { exitDespiteLookups } from '../lib/exit.ts'
import { version } from '../lib/version.ts'
import { listInterfaces } from './address/interface.ts'
import { systemClock as clock } from './deadline.ts'
import { tellLimitMs, withHeartbeat } from './heartbeat.ts'
import { exchange as send } from './http.ts'
import { commandInputs, helpText } from './inputs/command.ts'
import { actionInputs, givenSecrets, isAction } from './inputs/given.ts'
import { readInputs } from './inputs/inputs.ts'
import { readTokenFile } from './inputs/token-file.ts'
import { createDnsClient } from './name-servers.ts'
import { notify } from './notify.ts'
import { unhandledError } from './problem.ts'
import type { NamedZone } from './records/zone.ts'
import { createReport } from './report/report.ts'
import { runnerPrinter } from './report/runner-printer.ts'
import { terminalPrinter, writeTo } from './report/terminal-printer.ts'
import { failedRound, mayBeStale, overall, type RoundResult, withoutRound } from './result.ts'
import { runRound } from './round.ts'
import { type Round, watch } from './watch.ts'

/**
 * The exit guard. Node exits with 0 if a promise never settles, and a cancelled run can end anywhere. Only a run that
 * reported its result may be green.
 */
let reported = false
const { env } = process
/** Whether a request was sent that changes a record. */
let mayHaveWritten = false
const exchange: Exchange = request => {
  // Only the DNS service gets the token.
  mayHaveWritten ||= request.method !== 'GET' && 'Authorization' in request.headers
  return send(request)
}
const printError = (message: string) =>
  isAction(env) ? writeTo(1, `::error title=Homeport::${message}\n`) : writeTo(2, `error: ${message}\n`)
process.once('exit', () => {
  if (reported) return
  process.exitCode = 1
  const consequence = mayHaveWritten
    ? 'It may have been writing. Run it again to check the records.'
    : 'It wrote nothing. Run it again.'
  printError(`Homeport ended without a result. ${consequence}`)
})
// A log that cannot be written, to a full disk or a reader that left, stops nothing.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
/** Aborts at the first SIGINT or SIGTERM. A single round ends at once, a watch after the requests in flight. */
const stop = new AbortController()
let isWatching = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // A result that was reported stays what it is.
    if (!isWatching || stop.signal.aborted) process.exit(reported ? undefined : 1)
    stop.abort()
  })
}
process.once('uncaughtException', fail)
exitDespiteLookups()

const command = isAction(env) ? null : commandInputs(process.argv.slice(2), env)
const given = command?.given ?? actionInputs(env)
const printer = command ? terminalPrinter(command.json) : runnerPrinter(env['GITHUB_STEP_SUMMARY'])

main().catch(fail)

function fail(error: unknown): never {
  printError(unexpected(error).message)
  reported = true
  process.exit(1)
}

function unexpected(error: unknown) {
  return mayHaveWritten ? unhandledError(error) : unhandledError(error, 'It wrote nothing')
}

async function main(): Promise<void> {
  if (command?.help || command?.version) {
    const written = writeTo(1, command.help ? helpText() : `homeport ${version}\n`)
    if ('problem' in written) printError(`Failed to write to stdout (${written.problem}).`)
    process.exitCode = 'problem' in written ? 1 : 0
  } else {
    await run()
  }
  reported = true
  // An open socket would keep the process alive, and with it the step. Flush before the exit, because a pipe may be slow.
  process.stdout.write('', () => process.stderr.write('', () => process.exit()))
}

async function run(): Promise<void> {
  const report = createReport(printer, command?.quiet)
  const secrets = givenSecrets(given)
  report.mask(secrets)
  for (const text of given.warnings) report.warn(text)
  try {
    const reading = readInputs(given, env)
    if ('problem' in reading) return report.round(withoutRound(reading.problem))
    const inputs = reading.value
    report.start(inputs)
    const options = {
      interfaces: listInterfaces,
      dns: createDnsClient,
      zones: new Map<string, NamedZone>(),
      writes: new Map(),
    }
    const { heartbeatUrl, intervalMs } = inputs
    let { token } = inputs
    let isTokenDoubtful = false
    /** Reads the token again, as a restart would. What may still be valid stays masked. */
    const renewToken = () => {
      if (!isTokenDoubtful || given.tokenFile === null) return
      const read = readTokenFile(given.tokenFile)
      if ('problem' in read)
        return report.warn(`${read.problem} The token that was read before stays in use.`)
      if (read.value === token) return
      secrets.token += ` ${read.value}`
      report.mask(secrets)
      token = read.value
    }
    const tellMs = heartbeatUrl === null && inputs.notify === null ? 0 : tellLimitMs(inputs.timeoutMs)
    const timeoutMs = inputs.timeoutMs - tellMs
    /** The warnings of the last message. It is sent beside the heartbeat, so that neither delays the other. */
    let telling: Promise<readonly string[]> = Promise.resolve([])
    const round: Round = async (through, at) => {
      renewToken()
      const run = async () => {
        const result = await runRound({ ...inputs, token, timeoutMs }, through, at, options).catch(
          failedRound,
        )
        if (inputs.notify !== null) telling = notify(inputs.notify, result.records, exchange, tellMs)
        return result
      }
      const result = await (heartbeatUrl === null
        ? run()
        : withHeartbeat(heartbeatUrl, run, exchange, () => stop.signal.aborted, tellMs))
      isTokenDoubtful = result.records.some(({ problem }) => mayBeStale(problem))
      return result
    }
    const reportTold = async () => {
      for (const text of await telling) report.warn(`notify-url: ${text}`)
    }
    if (intervalMs === null) {
      const result = await round(exchange, clock)
      report.round(result)
      reported = true
      return await reportTold()
    }
    isWatching = true
    const onRound = (result: RoundResult, nextMs: number) => {
      // For ps, and for the health check of the image.
      process.title = overall(result) === 'failed' ? 'homeport failed' : 'homeport'
      report.round(result, stop.signal.aborted ? undefined : nextMs)
      return reportTold()
    }
    report.finishWatch(await watch(intervalMs, round, exchange, clock, stop.signal, onRound))
  } catch (error) {
    report.round(withoutRound(unexpected(error)))
  }
}
