import { helpOption, runCommand, terminal, UsageError } from '../lib/command.ts'
import type { Values } from './show.ts'

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

const given = process.argv.slice(2)
const isNamed = given[0] !== undefined && !given[0].startsWith('-')
// A newcomer should see dns first.
const name = isNamed ? (given[0] ?? '') : 'dns'
const load = Object.hasOwn(demos, name) ? demos[name] : undefined
const unknown: Demo = {
  help: '',
  run() {
    throw new UsageError(`There is no demo "${name}". Use ${Object.keys(demos).join(', ')}.`)
  },
}
const { help, options, takesWords: takesArguments = false, run } = (await load?.()) ?? unknown
const args = isNamed ? given.slice(1) : given
const call = `npm run demo -- ${load ? name : 'dns'}`
const frame = { args, call, help, options: { ...options, ...helpOption }, takesArguments }
process.exitCode = await runCommand(frame, terminal, run)
