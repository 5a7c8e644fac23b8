/** Runs a demo by name. Without a name it runs dns, which a newcomer should see first. */

const demos: Readonly<Record<string, () => Promise<{ run(args: string[]): Promise<number> }>>> = {
  dns: () => import('./dns.ts'),
  infra: () => import('./infra.ts'),
  journey: () => import('./journey.ts'),
  push: () => import('./push.ts'),
  'sign-in': () => import('./sign-in.ts'),
}

const [first = '', ...rest] = process.argv.slice(2)
const named = Object.hasOwn(demos, first)
const load = demos[named ? first : 'dns']
if (load && (named || first === '' || first.startsWith('-'))) {
  process.exitCode = await (await load()).run(named ? rest : process.argv.slice(2))
} else {
  process.stderr.write(
    `There is no demo "${first}". Use ${Object.keys(demos).join(', ')}, or no name for dns.\n`,
  )
  process.stderr.write('For options, see npm run demo -- --help.\n')
  process.exitCode = 2
}
