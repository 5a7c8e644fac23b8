/** Runs one of the benchmarks by name; what it measures it prints as a section of docs/benchmarks.md. */

const benchmarks: Readonly<Record<string, () => Promise<{ run(args: string[]): Promise<number> }>>> = {
  sandbox: () => import('./sandbox.ts'),
}

const [name = '', ...args] = process.argv.slice(2)
const load = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined
if (load === undefined) {
  process.stderr.write(`npm run bench -- NAME, where NAME is one of ${Object.keys(benchmarks).join(', ')}.\n`)
  process.exitCode = 2
} else {
  const { run } = await load()
  process.exitCode = await run(args)
}
