/** Runs a benchmark by name. Each prints figures for docs/benchmarks.md and has its own --help. */

const benches: Readonly<Record<string, () => Promise<{ run(args: string[]): Promise<number> }>>> = {
  action: () => import('./action.ts'),
  infra: () => import('./infra.ts'),
  sandbox: () => import('./sandbox.ts'),
  'sign-in': () => import('./sign-in.ts'),
}

const usage = `Usage: npm run bench -- <${Object.keys(benches).join(' | ')}> [options]

Measures one room and prints figures for docs/benchmarks.md. Add --help to a name for its options.
`

const [name = '', ...args] = process.argv.slice(2)
const load = Object.hasOwn(benches, name) ? benches[name] : undefined
if (load) {
  process.exitCode = await (await load()).run(args)
} else if (name === '--help') {
  process.stdout.write(usage)
} else {
  process.stderr.write(usage)
  process.exitCode = 2
}
