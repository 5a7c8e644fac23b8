/**
 * Reads the arguments of a script without settings. With `--help`, prints the help and ends the process with 0; with an unknown
 * argument, ends it with 2.
 * @param known other arguments that the script takes
 */
export function readArguments(help: string, known: readonly string[] = []): ReadonlySet<string> {
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(help)
    process.exit(0)
  }
  const unknown = args.find(arg => !known.includes(arg))
  if (unknown !== undefined) {
    process.stderr.write(`There is no argument ${JSON.stringify(unknown)}.\n\n${help}`)
    process.exit(2)
  }
  return new Set(args)
}
