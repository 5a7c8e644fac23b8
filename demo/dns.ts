import { once } from 'node:events'
import { parseArgs, styleText } from 'node:util'
import { ListenError } from '../sandbox/http/server.ts'
import { type Sandbox, type SandboxDescription, startSandbox } from '../sandbox/sandbox.ts'
import { redirectUriOf } from '../src/settings/redirect-uri.ts'
import { freePort } from '../tools/free-port.ts'
import { FollowedRecord, firstAddress } from './followed-record.ts'

const help = `Shows a hostname that follows a changing address, with the shipped action and a name server.

  npm run demo -- [options]           this demo
  npm run demo -- sign-in [options]   sign in as an employee, in a browser
  npm run demo -- infra [options]     what the Pulumi program declares
  npm run demo -- push [options]      a router's pings to the push endpoint
  npm run demo -- journey [options]   deploy, sign in, rotate, find drift, destroy

  --keep          keep the sandbox running at the end, until Ctrl-C, with a page to watch the record on
  --page-port N   port of that page (default: any free port)
  --port N        port of the DNS API (default: any free port)
  --help          print this help

The exit status is 0 only if every step succeeded.
`

const secondAddress = '203.0.113.77'
const steps = 4

const write = (text: string) => void process.stdout.write(`${text}\n`)
const bold = (text: string) => styleText('bold', text)
const dim = (text: string) => styleText('dim', text)

/** Runs the demo. Returns the exit status. */
export async function run(args: string[]): Promise<number> {
  let options: Options
  try {
    options = readOptions(args)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nSee npm run demo -- --help.\n`)
    return 2
  }
  if (options.help) {
    process.stdout.write(help)
    return 0
  }
  try {
    return (await runWith(options)) ? 0 : 1
  } catch (error) {
    if (!(error instanceof ListenError)) throw error
    const option = error.port === options.pagePort ? '--page-port' : '--port'
    process.stderr.write(
      `Port ${error.port} is taken. Choose another with ${option}, or leave it out for any free port.\n`,
    )
    return 1
  }
}

interface Options {
  readonly help: boolean
  readonly keep: boolean
  readonly port: number
  readonly pagePort: number
}

/** @throws Error that says what is wrong with the options */
function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      keep: { type: 'boolean', default: false },
      port: { type: 'string', default: '0' },
      'page-port': { type: 'string', default: '0' },
    },
  })
  for (const name of ['port', 'page-port'] as const) {
    if (!/^\d{1,5}$/.test(values[name]) || Number(values[name]) > 65_535)
      throw new Error(`--${name} is "${values[name]}". Use a number from 0 to 65535.`)
  }
  return { ...values, port: Number(values.port), pagePort: Number(values['page-port']) }
}

/** Starts the sandbox and shows the demo. Returns whether every step succeeded. */
async function runWith({ keep, port, pagePort: givenPort }: Options): Promise<boolean> {
  const pagePort = givenPort || (await freePort())
  const entra = keep ? { redirectUris: [redirectUriOf(`http://localhost:${pagePort}`)] } : undefined
  write(bold('Homeport keeps a hostname pointed at a changing address.'))
  write(`This shows it in ${steps} steps, and takes a few seconds.\n`)
  const sandbox = await startSandbox({ port, entra })
  try {
    const record = new FollowedRecord(sandbox.description)
    const succeeded = await show(sandbox.description, record)
    if (keep) await keepServing(sandbox, record, pagePort)
    return succeeded
  } finally {
    await sandbox.close()
  }
}

/** Shows the demo against this sandbox, step by step. Returns whether every step succeeded. */
export async function show(
  description: SandboxDescription,
  record = new FollowedRecord(description),
): Promise<boolean> {
  const { cloudflare, nameServer, echo } = description
  write('Everything below runs on this machine. The DNS service, its name server and the three echo services')
  write(
    'are emulators; the action is the shipped bundle. The addresses are reserved for documentation, so the',
  )
  write(`action accepts them only with ${dim('allow-reserved-address: true')}.\n`)
  write(`  ${'DNS service'.padEnd(15)}${cloudflare.baseUrl}`)
  write(`  ${'name server'.padEnd(15)}${nameServer.host}:${nameServer.port}`)
  write(`  ${'echo services'.padEnd(15)}${echo.join('  ')}`)

  const story = new Story(record)
  const [first] = await record.ask()
  story.heading(`${record.hostname} starts at ${first?.address ?? 'no address'}`)
  await story.round(`The address changes to ${firstAddress}`, firstAddress, 'updated')
  await story.round('Ten minutes later, it is still the same', firstAddress, 'unchanged')
  await story.round(`The address changes to ${secondAddress}`, secondAddress, 'updated')
  write(
    story.failed.length === 0
      ? `\n${styleText('green', 'Every step succeeded:')} the name server followed the address, and one run wrote nothing.`
      : `\n${styleText('red', `Failed: ${story.failed.join('; ')}.`)} Please report the output above.`,
  )
  return story.failed.length === 0
}

/** Prints the rounds, and remembers the steps with a check that did not pass. */
class Story {
  readonly failed: string[] = []
  readonly #record: FollowedRecord
  #step = 0
  #heading = ''

  constructor(record: FollowedRecord) {
    this.#record = record
  }

  heading(text: string): void {
    this.#step++
    this.#heading = `step ${this.#step}, ${text}`
    write(`\n${bold(`${this.#step} of ${steps}  ${text}`)}`)
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
    if (!succeeded && !this.failed.includes(this.#heading)) this.failed.push(this.#heading)
    const sign = succeeded ? styleText('green', '✓') : styleText('red', '✗')
    write(`   ${sign} ${who.padEnd(13)}${what.padEnd(11)}${detail}`)
  }
}

/** Serves the live page until a signal. */
async function keepServing(sandbox: Sandbox, record: FollowedRecord, port: number): Promise<void> {
  // Listen before printing: a reader of the text may send the signal at once.
  const ended = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  const { startLivePage } = await import('./live/start.ts')
  const page = await startLivePage({ sandbox, record, port })
  const { nameServer } = sandbox.description
  write('\nThe sandbox keeps running until Ctrl-C. Watch it in a browser:')
  write(`  ${page.url}`)
  write('Or ask the name server yourself:')
  write(`  dig @${nameServer.host} -p ${nameServer.port} ${record.hostname} A +short`)
  await ended
  await page.close()
}
