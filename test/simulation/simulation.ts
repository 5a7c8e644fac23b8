import { type Inputs, readInputs } from '../../action/inputs/inputs.ts'
import { actionInputs } from '../../action/inputs/reader.ts'
import { runRound } from '../../action/round.ts'
import { maskSecrets } from '../../action/text/redact.ts'
import { watch } from '../../action/watch.ts'
import { expectValue } from '../support/expect-value.ts'
import { Sequence } from '../support/sequence.ts'
import type { Counts } from './counts.ts'
import { intervalMs, type Violation } from './judge.ts'
import { startRouter, withImmediateHashes } from './router.ts'
import { dayMs, inputsOf, type Scenario, type Setup, token } from './scenario.ts'
import { Host } from './virtual-time.ts'
import { World } from './world.ts'

export interface Outcome {
  readonly violation: Violation | null
  readonly counts: Counts
}

const restartMs = 10_000
const maxOtherRuns = 2

/** Simulates a scenario until its end, or until an invariant does not hold. */
export async function simulate(scenario: Scenario): Promise<Outcome> {
  maskSecrets([token])
  const world = new World(scenario)
  const inputs = readSetup(scenario.setup)
  let started = 0
  let others = 0
  let stop = new AbortController()

  function start(
    name: string,
    forMs: number | null,
    onEnd: () => void,
  ): { host: Host; stop: AbortController } {
    const random = new Sequence(scenario.seed + Math.floor(world.time.nowMs))
    const host = new Host(`${name} ${++started}`, world.time, random)
    const stopping = new AbortController()
    const { signal } = stopping
    const endMs = forMs === null ? Number.POSITIVE_INFINITY : host.clock.now() + forMs
    const failedLast = new Set<string>()
    let rounds = 0
    let cutShort = 0
    const watching = watch(
      intervalMs,
      async (exchange, clock) => {
        rounds++
        world.judge.roundStarted(host)
        const result = await runRound(inputs, exchange, clock, {
          interfaces: () => world.sources.interfaces(host),
          dns: world.dns(host),
          onProgress: () => {},
          failedLast,
          zones: new Map(),
        })
        world.judge.roundEnded(host, result, signal.aborted)
        if (signal.aborted) cutShort++
        return result
      },
      request => world.exchange(host, () => signal.aborted, request),
      host.clock,
      signal,
      () => {
        if (host.clock.now() + intervalMs >= endMs) stopping.abort()
      },
    )
    watching.then(watched => {
      world.judge.watchEnded(host, watched, rounds, cutShort)
      onEnd()
    }, world.judge.failed)
    return { host, stop: stopping }
  }

  function startMain(): void {
    const main = start('main', null, () => world.time.at(world.time.nowMs + restartMs, startMain))
    world.mainHost = main.host
    stop = main.stop
  }

  world.processes = {
    kill() {
      if (!world.mainHost || world.mainHost.isDead) return
      world.mainHost.isDead = true
      world.time.at(world.time.nowMs + restartMs, startMain)
    },
    stop: () => stop.abort(),
    startAnother(forMs) {
      if (others >= maxOtherRuns) return
      others++
      start('other', forMs, () => others--)
    },
  }
  startMain()
  if (scenario.router) startRouter(world, scenario.router, scenario.seed)
  await withImmediateHashes(() => withoutStacks(() => world.time.run(scenario.days * dayMs)))
  return { violation: world.judge.violation, counts: world.judge.counts }
}

/** Runs without recording stack traces: each round aborts two signals, and each reason would record one. */
export async function withoutStacks<T>(work: () => Promise<T>): Promise<T> {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return await work()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

const known = new Map<string, Inputs>()

/** Reads the inputs of a setup as the action does. */
export function readSetup(setup: Setup): Inputs {
  const key = JSON.stringify(setup)
  const read = known.get(key)
  if (read) return read
  const inputs = Object.entries(inputsOf(setup)).map(([name, text]) => [`INPUT_${name.toUpperCase()}`, text])
  const setUp = expectValue(readInputs(actionInputs(Object.fromEntries(inputs)), {}, () => null))
  known.set(key, setUp)
  return setUp
}
