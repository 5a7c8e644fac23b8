import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { cpus } from 'node:os'

/**
 * Pins a process and what it starts from now on to a core, if there are two and taskset.
 * @returns whether it is pinned
 */
export function pin(pid: number, core: 0 | 1): boolean {
  return cpus().length > 1 && spawnSync('taskset', ['-acp', String(core), String(pid)]).status === 0
}

/** Returns the processor time of a process and its children in milliseconds, those that have ended included. */
export async function treeCpuMs(pid: number): Promise<number> {
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
