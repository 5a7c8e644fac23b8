import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { shareMs } from '../../sandbox/testing/random.ts'
import { explore } from './interleavings.ts'
import { type Invariant, invariants } from './judge.ts'
import { incidentRates, planScenario, type Setup, withRouter } from './scenario.ts'
import { describeFailure, shrink } from './shrink.ts'
import { type Outcome, type Subject, scenarioDays, simulate } from './simulation.ts'

const folder = mkdtempSync(join(tmpdir(), 'homeport-planted-'))
// Vite looks for a tsconfig.json above every file that it transforms.
writeFileSync(join(folder, 'tsconfig.json'), '{}')
afterAll(() => rmSync(folder, { recursive: true }))

/** A planted fault: a text in one file of the action, and its replacement. */
interface Fault {
  readonly breaks: Invariant
  readonly what: string
  readonly file: string
  readonly from: string
  readonly to: string
  readonly setup?: Partial<Setup>
  /** The first week to simulate. Skips weeks whose events do not reach the fault. */
  readonly week?: number
}

/** `npm test` plants some faults, and `npm run test:long` all. */
const sampleOf = <T>(all: readonly T[], count: number) =>
  shareMs(1) === undefined ? all.slice(0, count) : all

const faults: readonly Fault[] = [
  {
    breaks: 'address-agreed',
    what: 'one vote is enough',
    week: 30,
    file: 'address/quorum.ts',
    from: '(tally.get(address) ?? 0) >= quorum',
    to: '(tally.get(address) ?? 0) >= 1',
    setup: { sources: 'three-echoes' },
  },
  {
    breaks: 'address-public',
    what: 'special-purpose addresses are accepted',
    week: 19,
    file: 'address/check.ts',
    from: 'special && !rules.allowReserved',
    to: 'special && rules.allowReserved',
    setup: { sources: 'three-echoes' },
  },
  {
    breaks: 'write-twice',
    what: 'a write is repeated although it was confirmed',
    file: 'write.ts',
    from: "if (wrong.length === 0) return { kind: 'new', record, lost: lostBy(plan, record) }",
    to: "if (wrong.length === 0) return { kind: 'old', record }",
  },
  {
    breaks: 'untouched',
    what: 'the first of several records is taken',
    file: 'reconcile.ts',
    from: "return others.length > 0 ? { kind: 'several', records } : { kind: 'one', record }",
    to: "return others.length > 99 ? { kind: 'several', records } : { kind: 'one', record }",
  },
  {
    breaks: 'untouched',
    what: 'the comment is not carried over',
    week: 24,
    file: 'reconcile.ts',
    from: '...(comment === null ? {} : { comment }),',
    to: '',
  },
  {
    breaks: 'untouched',
    what: 'a repeated write does not carry over what was edited meanwhile',
    week: 14,
    file: 'write.ts',
    from: 'plan = basedOn(again.record, plan)',
    to: '',
  },
  {
    breaks: 'green',
    what: 'a write that cannot be confirmed counts as confirmed',
    file: 'write.ts',
    from: "if (attempt === maxWrites || !repeatable) return giveUp(old, 'record')",
    to: "if (found.record) return { kind: 'confirmed', record: found.record, notes: [] }",
  },
  {
    breaks: 'green',
    what: 'what a write loses is not compared',
    week: 4,
    file: 'reconcile.ts',
    from: '.filter(field => found[field] !== sent[field])',
    to: '.filter(() => false)',
  },
  {
    breaks: 'green',
    what: 'a record that NS records hide counts as served',
    file: 'records/envelope.ts',
    from: 'return (isGlue && !isDead) ||',
    to: 'return !isGlue ||',
  },
  {
    breaks: 'report',
    what: 'a refused repetition is reported as if nothing was written',
    week: 8,
    file: 'write.ts',
    from: "if (outcome.kind === 'refused' && !mayHaveHappened)",
    to: "if (outcome.kind === 'refused' || (attempt > 1 && outcome.kind === 'unknown')) return failed({ reason: 'write-rejected', message: '' }, 'request')\n    if (outcome.kind === 'refused')",
  },
  {
    breaks: 'deadline',
    what: 'the deadline starts again with each look at it',
    week: 12,
    file: 'deadline.ts',
    from: 'remainingMs: () => Math.max(0, end - clock.now())',
    to: 'remainingMs: () => totalMs',
  },
  {
    breaks: 'rate-limit',
    what: 'the limits of the service are not kept',
    file: 'records/limits.ts',
    from: 'blockedUntilMs = Math.max(blockedUntilMs, clock.now() + ms)',
    to: 'blockedUntilMs = Number.NEGATIVE_INFINITY * ms',
  },
  {
    breaks: 'token',
    what: 'a write goes to another host',
    file: 'records/dns-api.ts',
    from: 'api.baseUrl}/client/v4/',
    to: "request.method === 'GET' ? api.baseUrl : 'https://mirror.example'}/client/v4/",
  },
  {
    breaks: 'dry-run',
    what: 'a dry run writes',
    file: 'round.ts',
    from: 'dryRun ? wouldWrite(decision)',
    to: '!dryRun ? wouldWrite(decision)',
    setup: { dryRun: true },
  },
  {
    breaks: 'schedule',
    what: 'the wait after failures has no limit',
    file: 'watch.ts',
    from: 'return Math.min(backOffMs, Math.max(jitteredMs, maxBackOffMs))',
    to: 'return backOffMs',
  },
  {
    breaks: 'stop',
    what: 'requests are sent after the request to stop',
    file: 'watch.ts',
    from: 'if (!stop.aborted) return exchange(request)',
    to: 'if (!stop.aborted || refusals === 0) return exchange(request)',
  },
  {
    breaks: 'convergence',
    what: 'an echo is asked over any family',
    file: 'address/echo.ts',
    from: 'family: version,',
    to: '',
    setup: { sources: 'three-echoes', types: ['A'] },
  },
  {
    breaks: 'convergence',
    what: 'a record that always fails stops the others',
    week: 6,
    file: 'write.ts',
    from: "!repeatable) return giveUp(old, 'record')",
    to: "!repeatable) return giveUp(old, 'service')",
    setup: { names: ['home.example.com', 'vpn.example.com', 'cam.example.com'], dryRun: false },
  },
  {
    breaks: 'budget',
    what: 'every name is listed twice',
    file: 'records/list.ts',
    from: 'const [zone, ...others] = zones',
    to: 'await mapConcurrently(targets, 1, target => listRecords(api, target))\n  const [zone, ...others] = zones',
    setup: { create: false },
  },
  {
    breaks: 'error',
    what: 'a failed round ends the watch loop',
    file: 'watch.ts',
    from: "const isFailed = overall(result) === 'failed'",
    to: "const isFailed = overall(result) === 'failed'\n    if (isFailed) throw new Error('over')",
  },
]

/** Faults of the endpoint that the pings of a router show. */
const pingFaults: readonly Omit<Fault, 'setup'>[] = [
  {
    breaks: 'green',
    what: 'a failed write is called good',
    file: 'keep.ts',
    from: "if (result.problem && result.problem.reason !== 'not-served') return failed(result.problem)",
    to: "if (result.problem && result.problem.reason !== 'not-served') return { result: { ...result, result: 'updated', problem: null }, unsettled: false }",
  },
  {
    breaks: 'report',
    what: 'what may pass is no failure of the request',
    file: 'push/answers.ts',
    from: "const passing: readonly Word[] = ['dnserr', '911']",
    to: "const passing: readonly Word[] = ['dnserr']",
  },
  {
    breaks: 'address-public',
    what: 'every address is written',
    file: 'push/update.ts',
    from: 'addressRules: { expectedCidrs, allowReserved: false },',
    to: 'addressRules: { expectedCidrs: [], allowReserved: true },',
  },
  {
    breaks: 'deadline',
    what: 'an answer waits for the service',
    file: 'push/handler.ts',
    from: 'answerMs: 8000',
    to: 'answerMs: 80000',
  },
  {
    breaks: 'budget',
    what: 'each name is read twice',
    file: 'keep.ts',
    from: 'known ??= await listRecords(api, target)',
    to: 'for (let reads = 0; reads < 2; reads++) known = await listRecords(api, target)',
  },
]

/** Returns a copy of the rooms with the fault. Files of the action are named without its folder. */
async function plant({ file, from, to }: Pick<Fault, 'file' | 'from' | 'to'>): Promise<Subject> {
  const copy = mkdtempSync(join(folder, 'copy-'))
  for (const room of ['lib', 'action', 'push']) {
    cpSync(new URL(`../../${room}`, import.meta.url), join(copy, room), {
      recursive: true,
      filter: source => !source.includes('dist'),
    })
  }
  const path = join(copy, file.startsWith('push/') ? file : `action/${file}`)
  const text = readFileSync(path, 'utf8')
  expect(text.split(from), `${file} no longer has this place once: ${from}`).toHaveLength(2)
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
  const load = (name: string) => import(pathToFileURL(join(copy, name)).href)
  const files = ['action/round.ts', 'action/watch.ts', 'action/text/redact.ts', 'push/handler.ts']
  const modules = await Promise.all(files.map(load))
  return Object.assign({}, ...modules)
}

const maxWeeks = 40
/** The first seed whose two days reach the fault. */
const firstShortWeek = 16

describe('a planted fault', () => {
  it.each(sampleOf(faults, 5))('is found: $what', { timeout: 120_000 }, async fault => {
    const subject = await plant(fault)
    let outcome: Outcome | null = null
    const firstWeek = fault.week ?? 1
    for (let week = firstWeek; week < firstWeek + maxWeeks && !outcome?.violation; week++) {
      const planned = planScenario(week, scenarioDays, incidentRates.stormy)
      outcome = await simulate({ ...planned, setup: { ...planned.setup, ...fault.setup } }, subject)
    }
    expect(outcome?.violation?.invariant, JSON.stringify(outcome?.violation)).toBe(fault.breaks)
  })

  it.each(sampleOf(pingFaults, 1))('is found by a ping: $what', { timeout: 120_000 }, async fault => {
    const subject = await plant(fault)
    let outcome: Outcome | null = null
    for (let week = 1; week < maxWeeks && !outcome?.violation; week++)
      outcome = await simulate(withRouter(planScenario(week, 2, incidentRates.stormy)), subject)
    expect(outcome?.violation, JSON.stringify(outcome?.violation)).toMatchObject({
      invariant: fault.breaks,
      host: expect.stringMatching(/^ping /),
    })
  })

  it('has been planted for every invariant', () => {
    expect([...new Set(faults.map(({ breaks }) => breaks))].toSorted()).toEqual([...invariants].toSorted())
  })

  it('is reduced to the events that it needs, with a command that replays them', {
    timeout: 120_000,
  }, async () => {
    const fault = faults.find(({ what }) => what === 'the comment is not carried over')
    if (!fault) throw new Error('no such fault')
    const subject = await plant(fault)
    for (let week = firstShortWeek; week < firstShortWeek + maxWeeks; week++) {
      const planned = planScenario(week, 2, incidentRates.stormy)
      const outcome = await simulate(planned, subject)
      if (!outcome.violation) continue
      const shrunk = await shrink(planned, outcome, scenario => simulate(scenario, subject))
      expect(shrunk.scenario.events.map(({ kind }) => kind)).toContain('fields-edited')
      expect(shrunk.kept.length).toBeLessThanOrEqual(5)
      const startMs = performance.now()
      expect((await simulate(shrunk.scenario, subject)).violation?.invariant).toBe('untouched')
      expect(performance.now() - startMs).toBeLessThan(10_000)
      expect(describeFailure(shrunk)).toContain(
        `Replay: npx node test/simulation/simulate.ts --seed ${week} --keep ${shrunk.kept.join(',')}`,
      )
      return
    }
    expect.fail('No week breaks the invariant.')
  })

  it('is found among the interleavings, with the steps that lead to it', { timeout: 60_000 }, async () => {
    const subject = await plant({
      file: 'reconcile.ts',
      from: "if (atName.some(other => other.type === 'CNAME')) return { kind: 'cname' }",
      to: '',
    })
    const setup: Setup = {
      ...planScenario(1, 1).setup,
      types: ['A'],
      names: ['home.example.com'],
      create: true,
    }
    const single: Setup = { ...setup, sources: 'one-echo', suffix: null, dryRun: false, verifiesDns: false }
    const { violation } = await explore(single, { maxEdits: 1, maxLosses: 0 }, subject)
    expect(violation).toMatchObject({ invariant: 'untouched' })
    expect(violation?.steps).toContain('person: record-becomes-cname')
  })
})
