/** The demos by name; without one, the first thing a newcomer should see. */

const demos: Readonly<Record<string, () => Promise<{ run(args: string[]): Promise<number> }>>> = {
  dns: () => import('./dns.ts'),
  infra: () => import('./infra.ts'),
  'sign-in': () => import('./sign-in.ts'),
}

const [first = '', ...rest] = process.argv.slice(2)
const named = Object.hasOwn(demos, first)
const load = demos[named ? first : 'dns']
if (load && (named || first === '' || first.startsWith('-'))) {
  process.exitCode = await (await load()).run(named ? rest : process.argv.slice(2))
} else {
  process.stderr.write(
    `There is no demo "${first}". There are ${Object.keys(demos).join(', ')}; without a name it is dns.\n`,
  )
  process.stderr.write('See npm run demo -- --help.\n')
  process.exitCode = 2
}
