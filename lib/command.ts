import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { printable, quote } from './quote.ts'

/** A failure with a message for the person at the terminal. */
export class CommandError extends Error {
  /** The exit status: 1 refused or failed, 2 wrong usage, or another that the command's help explains. */
  readonly status: number

  constructor(
    message: string,
    { status = 1, cause }: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.status = status
  }
}

/** Wrong arguments. Its message is followed by how to get help. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(message, { status: 2 })
  }
}

/** Where a command prints its results, and what went wrong. */
export interface Terminal {
  readonly line: (text: string) => void
  readonly problem: (text: string) => void
}

/** The terminal of this process. */
export const terminal: Terminal = {
  line: text => void process.stdout.write(`${text}\n`),
  problem: text => void process.stderr.write(`${text}\n`),
}

/** What every command takes besides its own options. */
export const helpOption = { help: { type: 'boolean', short: 'h' } } as const

/** The values of options, as a command gets them. */
export type Chosen<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options }>
>['values']

interface Frame<Options extends ParseArgsOptionsConfig> {
  readonly args: readonly string[]
  /** How it is called, such as `npm run push --`. */
  readonly call: string
  readonly help: string
  readonly options: Options
  /** Whether it takes arguments besides its options. */
  readonly takesArguments?: boolean
}

/**
 * Runs a command with the options and arguments that it was given, or prints its help. Prints a failure, and returns the exit
 * status, which is 0 if the command returns none. @throws any error other than CommandError
 */
export async function runCommand<const Options extends ParseArgsOptionsConfig, Status extends number | null>(
  { args, call, help, options, takesArguments = false }: Frame<Options>,
  { line, problem }: Terminal,
  run: (chosen: Chosen<Options>, args: readonly string[]) => Promise<Status>,
): Promise<Status | number> {
  try {
    const { values, positionals } = readArguments(args, options, takesArguments)
    if ('help' in values && values.help) {
      line(help.trimEnd())
      return 0
    }
    return await run(values, positionals)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    const advice = error instanceof UsageError ? ` Run \`${call} --help\` for help.` : ''
    problem(error.message + advice)
    return error.status
  }
}

function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  allowPositionals: boolean,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals, strict: true })
  } catch (error) {
    // Its first sentence: the rest explains how Node reads options.
    const [reason = ''] = error instanceof Error ? error.message.split(/\.?(?:\s*\n|\. |$)/, 1) : []
    throw new UsageError(`${printable(reason)}.`)
  }
}

/** One of the commands of a program. */
export interface Subcommand {
  /** Its arguments, each with its article. */
  readonly takes?: readonly string[]
  /** Whether the last argument can be repeated. */
  readonly many?: boolean
  readonly options?: readonly string[]
}

/** Returns the command with a name. @throws UsageError if there is none, or if it does not take the options */
export function findCommand<Command extends Subcommand>(
  commands: ReadonlyMap<string, Command>,
  name: string | undefined,
  chosen: object,
  commonOptions: readonly string[] = [],
): Command {
  if (!name) throw new UsageError('Give a command.')
  const command = commands.get(name)
  if (!command) throw new UsageError(`There is no command ${quote(name)}.`)
  const taken = [...commonOptions, ...(command.options ?? [])]
  const other = Object.keys(chosen).find(option => !taken.includes(option))
  if (other) throw new UsageError(`\`${name}\` takes no --${other}.`)
  return command
}

/** Counts the arguments of a command. @throws UsageError if they are too few or too many */
export function checkArguments(
  name: string,
  { takes = [], many = false }: Subcommand,
  args: readonly string[],
): void {
  if (args.length < takes.length)
    throw new UsageError(`\`${name}\` needs ${takes.slice(args.length).join(' and ')}.`)
  if (args.length <= takes.length || many) return
  const taken = takes.length === 0 ? 'no arguments' : `only ${takes.join(' and ')}`
  throw new UsageError(`\`${name}\` takes ${taken}.`)
}
