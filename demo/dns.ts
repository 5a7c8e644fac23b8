import { once } from 'node:events'
import { parseArgs, styleText } from 'node:util'
import { ListenError } from '../sandbox/http/server.ts'
import { type Sandbox, type SandboxDescription, startSandbox } from '../sandbox/sandbox.ts'
import { FollowedRecord } from './followed-record.ts'

const help = `Shows a hostname that follows a changing address, with the shipped action and a name server.

  npm run demo -- [options]           this demo
  npm run demo -- sign-in [options]   sign in as an employee, in a browser
  npm run demo -- infra [options]     what the Pulumi program declares and creates

  --keep      keep the sandbox running at the end, until Ctrl-C
  --port N    port of the DNS API (default: any free port)
  --help      print this help

The exit status is 0 only if every step succeeded.
`

/** RFC 5737 reserves this range for documentation. */
const firstAddress = '203.0.113.10'
const secondAddress = '203.0.113.77'

const write = (text: string) => void process.stdout.write(`${text}\n`)
const bold = (text: string) => styleText('bold', text)
const dim = (text: string) => styleText('dim', text)

/** Runs the demo. Returns the exit status. */
export async function run(args: string[]): Promise<number> {
  const options = readOptions(args)
  if (typeof options === 'string') {
    process.stderr.write(`${options}\nSee npm run demo -- --help.\n`)
    return 2
  }
  if (options.help) {
    process.stdout.write(help)
    return 0
  }
  let sandbox: Sandbox
  try {
    sandbox = await startSandbox({ ports: { cloudflare: options.port } })
  } catch (error) {
    if (!(error instanceof ListenError)) throw error
    process.stderr.write(
      `Port ${error.port} is taken. Choose another with --port, or leave it out for any free port.\n`,
    )
    return 1
  }
  try {
    const succeeded = await show(sandbox.description)
    if (options.keep) await keepServing(sandbox.description)
    return succeeded ? 0 : 1
  } finally {
    await sandbox.close()
  }
}

function readOptions(args: string[]): { help: boolean; keep: boolean; port: number } | string {
  try {
    const { values } = parseArgs({
      args,
      options: {
        help: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        port: { type: 'string', default: '0' },
      },
    })
    const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Number.NaN
    return port <= 65_535 ? { ...values, port } : `--port is "${values.port}". Use a number from 0 to 65535.`
  } catch (error) {
    return (error as Error).message
  }
}

/** Shows the demo against this sandbox, step by step. Returns whether every step succeeded. */
export async function show(description: SandboxDescription): Promise<boolean> {
  const { cloudflare, nameServer, echo } = description
  write(bold('Homeport keeps a hostname pointed at a changing address.\n'))
  write('Everything below runs on this machine. The DNS service, its name server and the three echo services')
  write(
    'are emulators; the action is the shipped bundle. The addresses are reserved for documentation, so the',
  )
  write(`action accepts them only with ${dim('allow-reserved-address: true')}.\n`)
  write(`  ${'DNS service'.padEnd(15)}${cloudflare.baseUrl}`)
  write(`  ${'name server'.padEnd(15)}${nameServer.host}:${nameServer.port}`)
  write(`  ${'echo services'.padEnd(15)}${echo.join('  ')}`)

  const record = new FollowedRecord(description)
  const story = new Story(record)
  const [first] = await record.ask()
  story.heading(`${record.hostname} starts at ${first?.address ?? 'no address'}`)
  await story.round(`The address changes to ${firstAddress}`, firstAddress, 'updated')
  await story.round('Ten minutes later, it is still the same', firstAddress, 'unchanged')
  await story.round(`The address changes to ${secondAddress}`, secondAddress, 'updated')
  const succeeded = story.succeeded
  write(
    succeeded
      ? `\n${styleText('green', 'Every step succeeded:')} the name server followed the address, and one run wrote nothing.`
      : `\n${styleText('red', 'A step failed.')} Please report the output above.`,
  )
  return succeeded
}

/** Prints the rounds, and remembers whether every check passed. */
class Story {
  succeeded = true
  readonly #record: FollowedRecord
  #step = 0

  constructor(record: FollowedRecord) {
    this.#record = record
  }

  heading(text: string): void {
    this.#step++
    write(`\n${bold(`${this.#step}  ${text}`)}`)
  }

  /** Changes the address, runs the action as a schedule would, and asks the name server. */
  async round(heading: string, address: string, result: 'updated' | 'unchanged'): Promise<void> {
    this.heading(heading)
    await this.#record.changeAddress(address)
    const step = await this.#record.round()
    const { 'previous-address': before, address: after, requests } = step.outputs
    const change = before === after ? `${after}` : `${before} -> ${after}`
    const took = dim(`${requests} requests, ${(step.elapsedMs / 1000).toFixed(2)} s`)
    this.#print('action', step.outputs['result'] ?? 'no result', `${change.padEnd(30)}${took}`, [
      step.status === 0,
      step.outputs['result'] === result,
      after === address,
    ])
    if (step.status !== 0) write(step.log)
    const [answer] = step.served
    const ttl = dim(`ttl ${answer?.ttl ?? '-'}`)
    this.#print('name server', 'answers', `${(answer?.address ?? 'nothing').padEnd(30)}${ttl}`, [
      step.served.every(served => served.address === address && served.ttl === 120),
    ])
  }

  #print(who: string, what: string, detail: string, checks: readonly boolean[]): void {
    const succeeded = checks.every(check => check)
    this.succeeded &&= succeeded
    const sign = succeeded ? styleText('green', '✓') : styleText('red', '✗')
    write(`   ${sign} ${who.padEnd(13)}${what.padEnd(11)}${detail}`)
  }
}

async function keepServing({ cloudflare, nameServer }: SandboxDescription): Promise<void> {
  // Listen before printing: a reader of the text may send the signal at once.
  const ended = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  write('\nThe sandbox keeps running until Ctrl-C. Ask the name server yourself:')
  write(`  dig @${nameServer.host} -p ${nameServer.port} home.${cloudflare.zoneName} A +short`)
  await ended
}
