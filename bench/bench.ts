const benches: Readonly<Record<string, () => Promise<{ run(args: string[]): Promise<number> }>>> = {
  'sign-in': () => import('./sign-in.ts'),
}

const [name = '', ...args] = process.argv.slice(2)
const load = benches[name]
if (load) {
  process.exitCode = await (await load()).run(args)
} else {
  process.stderr.write(`Usage: npm run bench -- <${Object.keys(benches).join(' | ')}> [options]\n`)
  process.exitCode = 2
}
