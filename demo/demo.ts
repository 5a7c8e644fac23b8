import { parseArgs } from 'node:util'
import { misuse, type Values } from './show.ts'

/** What a demo takes and does. */
interface Demo {
  readonly help: string
  /** The options besides `--help`. */
  readonly options?: Readonly<Record<string, { readonly type: 'boolean' | 'string' }>>
  /** Whether it takes words besides options. */
  readonly takesWords?: boolean
  /** Runs the demo. Returns the exit status. */
  run(values: Values, words: readonly string[]): Promise<number>
}

const demos: Readonly<Record<string, () => Promise<Demo>>> = {
  dns: () => import('./dns.ts'),
  infra: () => import('./infra.ts'),
  journey: () => import('./journey.ts'),
  push: () => import('./push.ts'),
  'sign-in': () => import('./sign-in.ts'),
}

/** Runs a demo by name. Without a name it runs dns, which a newcomer should see first. Returns the exit status. */
async function main(given: readonly string[]): Promise<number> {
  const [first = ''] = given
  const isNamed = first !== '' && !first.startsWith('-')
  const name = isNamed ? first : 'dns'
  const load = Object.hasOwn(demos, name) ? demos[name] : undefined
  if (load === undefined) {
    const names = Object.keys(demos).join(', ')
    return misuse('dns', `There is no demo "${first}". Use ${names}, or no name for dns.`)
  }
  const { help, options, takesWords: allowPositionals = false, run } = await load()
  const args = given.slice(isNamed ? 1 : 0)
  let parsed: { readonly values: Values; readonly positionals: readonly string[] }
  try {
    const asksForHelp = { type: 'boolean', short: 'h' } as const
    parsed = parseArgs({ args, options: { ...options, help: asksForHelp }, allowPositionals })
  } catch (error) {
    return misuse(name, (error as Error).message)
  }
  if (!parsed.values['help']) return run(parsed.values, parsed.positionals)
  process.stdout.write(help)
  return 0
}

process.exitCode = await main(process.argv.slice(2))
