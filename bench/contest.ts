import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { median, show, spread, table } from './figures.ts'

/** A server that is compared with others. */
export interface Contender {
  readonly name: string
  readonly origin: string
  readonly pid: number
  /** Process id of its store, whose children count as well. */
  readonly storePid: number
  stop(): Promise<unknown>
}

/** What a driver did in one round. */
export interface Load {
  readonly done: number
  readonly elapsedMs: number
}

/** A contender's rounds. */
interface Result {
  readonly name: string
  /** Requests, or whatever the driver counts, per second. */
  readonly rates: number[]
  /** Milliseconds of processor time for each of them. */
  readonly costs: number[]
  /** Milliseconds of the store's processor time for each of them. */
  readonly storeCosts: number[]
}

const warmUpMs = 2000

/**
 * Pins a process and what it starts from now on to a core, if there are two and taskset.
 * @returns whether it is pinned
 */
export function pin(pid: number, core: 0 | 1): boolean {
  return cpus().length > 1 && spawnSync('taskset', ['-acp', String(core), String(pid)]).status === 0
}

/**
 * Drives contenders in turn, after rounds that do not count, and in the opposite order in every second round.
 * @param warmUp how much each contender has to do before it counts
 * @throws Error as soon as anything that is driven fails
 */
export async function compare<C extends Contender>(
  contenders: readonly C[],
  drive: (contender: C, durationMs: number) => Promise<Load>,
  rounds: number,
  roundMs: number,
  progress: (text: string) => void,
  warmUp = 1,
): Promise<readonly Result[]> {
  const pairs = contenders.map(contender => {
    const result: Result = { name: contender.name, rates: [], costs: [], storeCosts: [] }
    return { contender, result }
  })
  const load = (contender: C, durationMs: number) =>
    drive(contender, durationMs).catch(cause => {
      throw new Error(`${contender.name} failed.`, { cause })
    })
  for (const contender of contenders) {
    for (let done = 0; done < warmUp; ) done += (await load(contender, warmUpMs)).done
  }
  for (let round = 0; round < rounds; round += 1) {
    progress(`round ${round + 1} of ${rounds}`)
    for (const { contender, result } of round % 2 === 0 ? pairs : pairs.toReversed()) {
      const { own: before } = await timesOf(contender.pid)
      const storeBefore = await treeCpuMs(contender.storePid)
      const { done, elapsedMs } = await load(contender, roundMs)
      result.rates.push((done / elapsedMs) * 1000)
      result.costs.push(((await timesOf(contender.pid)).own - before) / done)
      result.storeCosts.push(((await treeCpuMs(contender.storePid)) - storeBefore) / done)
    }
  }
  return pairs.map(({ result }) => result)
}

/** Returns a table with a row for each contender, and the ratios of the first to the others. */
export function compareTable(unit: string, results: readonly Result[], goal = ''): string {
  const [first] = results
  const rows = results.map(result => {
    const { name, rates, costs, storeCosts } = result
    const isFirst = result === first
    return [
      name,
      spread(rates),
      isFirst ? '' : show(median(first?.rates ?? []) / median(rates), 2),
      `${show(median(costs), 3)} ms`,
      isFirst ? '' : show(median(costs) / median(first?.costs ?? []), 2),
      `${show(median(storeCosts), 3)} ms`,
      isFirst || !first ? '' : show(median(sums(result)) / median(sums(first)), 2),
    ]
  })
  const head = [
    `${unit}s per second`,
    `ratio${goal}`,
    `processor time per ${unit}`,
    `ratio${goal}`,
    'of the store',
    'ratio of both',
  ]
  return table(['', ...head], ...rows)
}

/** Returns the processor time of application and store, by round. */
function sums({ costs, storeCosts }: Result): readonly number[] {
  return costs.map((cost, round) => cost + (storeCosts[round] ?? Number.NaN))
}

/** Returns the processor time of a process and its children in milliseconds, those that have ended included. */
async function treeCpuMs(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const children = text.trim().split(' ').filter(Boolean).map(Number)
  const { own, ended } = await timesOf(pid)
  const living = await Promise.all(children.map(timesOf))
  return living.reduce((sum, child) => sum + (Number.isNaN(child.own) ? 0 : child.own), own + ended)
}

/** Returns the processor time of a process and of its ended children, by Linux's ticks of 10 ms; NaN on other systems. */
async function timesOf(pid: number): Promise<{ readonly own: number; readonly ended: number }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ms = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) * 10
  return { own: ms(11), ended: ms(13) }
}
