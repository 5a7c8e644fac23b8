import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** A failure whose message is for the operator. */
export class Refusal extends Error {
  /** Exit status: 1 refused or failed, 2 wrong options. */
  readonly status: 1 | 2

  constructor(message: string, status: 1 | 2 = 1) {
    super(message)
    this.status = status
  }
}

/**
 * Reads the options of `npm run SCRIPT`.
 * @throws Refusal with status 2 on any other option or argument
 */
export function readOptions<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  script: string,
) {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'Unknown options.'
    throw new Refusal(`${reason.replace(/\.?$/, '.')} See npm run ${script} -- --help.`, 2)
  }
}

/** The values of options, as `readOptions` returns them. */
export type Chosen<Options extends ParseArgsOptionsConfig> = ReturnType<typeof readOptions<Options>>

/** Prints a refusal and sets the exit status. @throws every other error */
export function reportRefusal(error: unknown): void {
  if (!(error instanceof Refusal)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = error.status
}
