import type { Inputs } from '../../action/inputs/inputs.ts'
import { runRound } from '../../action/round.ts'
import { watch } from '../../action/watch.ts'
import { maskSecrets } from '../../lib/redact.ts'
import { inputsOf } from '../action/inputs/reading.ts'
import { roundOptions } from '../support/round-options.ts'
import { Sequence } from '../support/sequence.ts'
import { intervalMs, noCounts, type Violation } from './judge.ts'
import { startRouter, withImmediateHashes } from './router.ts'
import { dayMs, type Scenario, type Setup, textsOf, token } from './scenario.ts'
import { Host } from './virtual-time.ts'
import { World } from './world.ts'

const restartMs = 10_000
const maxOtherRuns = 2

/** Simulates a scenario until its end, or until an invariant does not hold, which is returned. Adds to the counts. */
export async function simulate(scenario: Scenario, counts = noCounts()): Promise<Violation | null> {
  maskSecrets([token])
  const world = new World(scenario, counts)
  const inputs = readSetup(scenario.setup)
  let started = 0
  let others = 0
  let stop = new AbortController()

  function start(name: string, forMs: number, onEnd: () => void) {
    const random = new Sequence(scenario.seed + Math.floor(world.time.nowMs))
    const host = new Host(`${name} ${++started}`, world.time, random)
    const stopping = new AbortController()
    const { signal } = stopping
    const endMs = host.clock.now() + forMs
    let rounds = 0
    let cutShort = 0
    const watching = watch(
      intervalMs,
      async (exchange, clock) => {
        rounds++
        world.judge.roundStarted(host)
        const interfaces = () => world.sources.interfaces(host)
        const options = roundOptions({ interfaces, dns: () => world.dns(host) })
        const result = await runRound(inputs, exchange, clock, options)
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
    const main = start('main', Number.POSITIVE_INFINITY, () => {
      // A kill has started the next one already, and cannot kill one that has ended.
      if (main.host.isDead) return
      world.mainHost = null
      world.time.after(restartMs, startMain)
    })
    world.mainHost = main.host
    stop = main.stop
  }

  world.processes = {
    kill() {
      if (!world.mainHost || world.mainHost.isDead) return
      world.mainHost.isDead = true
      world.time.after(restartMs, startMain)
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
  const isOver = () => world.judge.violation !== null
  await withImmediateHashes(() => world.time.run(scenario.days * dayMs, isOver))
  return world.judge.violation
}

const known = new Map<string, Inputs>()

/** Reads the inputs of a setup as the action does. */
export function readSetup(setup: Setup): Inputs {
  const key = JSON.stringify(setup)
  const read = known.get(key) ?? inputsOf(textsOf(setup))
  known.set(key, read)
  return read
}
