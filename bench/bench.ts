/** Runs one of the benchmarks by name; what it measures it prints as a section of docs/benchmarks.md. */

const benches: Readonly<Record<string, () => Promise<{ run(args: string[]): Promise<number> }>>> = {
  infra: () => import('./infra.ts'),
  sandbox: () => import('./sandbox.ts'),
  'sign-in': () => import('./sign-in.ts'),
}

const [name = '', ...args] = process.argv.slice(2)
const load = Object.hasOwn(benches, name) ? benches[name] : undefined
if (load) {
  process.exitCode = await (await load()).run(args)
} else {
  process.stderr.write(`Usage: npm run bench -- <${Object.keys(benches).join(' | ')}> [options]\n`)
  process.exitCode = 2
}
