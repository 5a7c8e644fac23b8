import { cpus, loadavg } from 'node:os'

/** What the command line can set. Each room uses those it names. */
export interface Options {
  /** Rounds of each comparison. */
  readonly rounds?: number
  /** Length of one round under load. */
  readonly seconds?: number
  /** Path of the program that the action is compared with. */
  readonly favonia?: string
  /** Path of the program that forward checks are compared with. */
  readonly 'oauth2-proxy'?: string
}

/** One benchmark. */
export interface Room {
  readonly help: string
  readonly options: readonly (keyof Options)[]
  /**
   * Measures, and reports progress a line at a time.
   * @returns the figures as Markdown
   * @throws Error if anything that is measured fails
   */
  measure(options: Options, progress: (text: string) => void): Promise<string>
}

/** Returns the sentences above all figures: when, on what and how they were measured. */
export function describeRun(name: string, options: Options, now: Date): string {
  const date = now.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
  const machine = `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores`
  const software = `Node ${process.versions.node}, ${process.platform} ${process.arch}`
  return [
    `Measured with \`${commandOf(name, options)}\` on ${date}: ${machine}, ${software}.`,
    `Load average at the start: ${loadavg()[0]?.toFixed(1)}.`,
  ].join('\n')
}

/** Returns the command that repeats a run. Paths are of this machine only, so they are left out. */
function commandOf(name: string, { rounds, seconds, favonia, 'oauth2-proxy': oauth2Proxy }: Options): string {
  return [
    `npm run bench -- ${name}`,
    ...(rounds === undefined ? [] : [`--rounds ${rounds}`]),
    ...(seconds === undefined ? [] : [`--seconds ${seconds}`]),
    ...(favonia === undefined ? [] : ['--favonia PATH']),
    ...(oauth2Proxy === undefined ? [] : ['--oauth2-proxy PATH']),
  ].join(' ')
}
