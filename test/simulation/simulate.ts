import { parseArgs } from 'node:util'
import { addCounts, describeCounts, noCounts } from './counts.ts'
import { planScenario, withRouter } from './scenario.ts'
import { describeFailure, keepEvents, shrink } from './shrink.ts'
import { scenarioDays, scenariosPerYear, simulate } from './simulation.ts'

const usage = `Simulates weeks of five-minute rounds in virtual time, each from a seed of its own.
  --years N    how many years (default: one week)
  --seed S     the seed of the first week (default: 1)
  --router     let a router report the address, too
  --keep LIST  only these events of the week, by their places, such as 3,14; none for no events
`

const { values } = parseArgs({
  options: {
    years: { type: 'string' },
    seed: { type: 'string', default: '1' },
    router: { type: 'boolean', default: false },
    keep: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed)
const years = Number(values.years ?? 1 / scenariosPerYear)
const kept =
  values.keep === undefined ? null : values.keep === 'none' ? [] : values.keep.split(',').map(Number)
const isUsable = Number.isSafeInteger(seed) && years > 0 && (kept ?? []).every(Number.isSafeInteger)

if (values.help || !isUsable) {
  process.stdout.write(usage)
  process.exitCode = values.help ? 0 : 2
} else {
  process.exitCode = await run()
}

async function run(): Promise<number> {
  const startMs = performance.now()
  const scenarios = Math.ceil(years * scenariosPerYear)
  let counts = noCounts()
  for (let number = 0; number < scenarios; number++) {
    const planned = planScenario(seed + number, scenarioDays)
    const whole = values.router ? withRouter(planned) : planned
    const scenario = kept ? keepEvents(whole, kept) : whole
    const outcome = await simulate(scenario)
    counts = addCounts(counts, outcome.counts)
    if (!outcome.violation) continue
    const shrunk = await shrink(scenario, outcome, simulate)
    const places = kept ? shrunk.kept.flatMap(place => kept[place] ?? []) : shrunk.kept
    process.stdout.write(`${describeFailure({ ...shrunk, kept: places })}\n`)
    return 1
  }
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
  process.stdout.write(`${scenarios} weeks from seed ${seed} in ${seconds} s: ${describeCounts(counts)}\n`)
  return 0
}
