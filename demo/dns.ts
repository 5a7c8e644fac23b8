import type { RecordWithTtl } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { parseArgs, styleText } from 'node:util'
import { ListenError } from '../sandbox/http/server.ts'
import { type Sandbox, type SandboxDescription, startSandbox } from '../sandbox/sandbox.ts'
import { runStep } from './step.ts'

const help = `Shows a hostname following a changing address, through the shipped action and a real name server.

  npm run demo -- [options]           this one
  npm run demo -- sign-in [options]   a person signing in, in a browser
  npm run demo -- infra [options]     what the Pulumi program declares, and what it makes

  --keep      leave the stand-ins serving at the end, until Ctrl-C
  --port N    port of the DNS API (any free one)
  --help      this text

Exit status 0 only when every step came out as it should.
`

/** RFC 5737 keeps this range for documentation: nobody's address. */
const firstAddress = '203.0.113.10'
const secondAddress = '203.0.113.77'

const write = (text: string) => void process.stdout.write(`${text}\n`)
const bold = (text: string) => styleText('bold', text)
const dim = (text: string) => styleText('dim', text)

/** Runs the demo; gives the exit status. */
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
    process.stderr.write(`Port ${error.port} is taken. Give another with --port, or none for any free one.\n`)
    return 1
  }
  try {
    const good = await show(sandbox.description)
    if (options.keep) await keepServing(sandbox.description)
    return good ? 0 : 1
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
    return port <= 65_535
      ? { ...values, port }
      : `--port must be a number from 0 to 65535, but is "${values.port}".`
  } catch (error) {
    return (error as Error).message
  }
}

/** Tells the story against these stand-ins, step by step; whether every step was true. */
export async function show(description: SandboxDescription): Promise<boolean> {
  const { cloudflare, nameServer, echo } = description
  const hostname = `home.${cloudflare.zoneName}`
  write(bold('Homeport keeps a hostname pointed at a changing address.\n'))
  write('Everything below runs on this machine. The DNS service, its name server and the three services that')
  write('echo the address are stand-ins; the action is the bundle that is shipped. The addresses are from a')
  write(
    `range kept for documentation, which the action refuses unless it is told ${dim('allow-reserved-address: true')}.\n`,
  )
  write(`  ${'DNS service'.padEnd(14)}${cloudflare.baseUrl}`)
  write(`  ${'name server'.padEnd(14)}${nameServer.host}:${nameServer.port}`)
  write(`  ${'address echo'.padEnd(14)}${echo.join('  ')}`)

  const served = new Resolver({ timeout: 2000, tries: 1 })
  served.setServers([`${nameServer.host}:${nameServer.port}`])
  const story = new Story(description, hostname, served)
  story.heading(`At the start, ${hostname} is ${(await story.ask())?.address ?? 'unknown'}`)
  await story.round(`The address becomes ${firstAddress}`, firstAddress, 'updated')
  await story.round('Ten minutes later, nothing has changed', firstAddress, 'unchanged')
  await story.round(`The address becomes ${secondAddress}`, secondAddress, 'updated')
  const good = story.good
  write(
    good
      ? `\n${styleText('green', 'Every step was true:')} the name server followed the address, and one run wrote nothing.`
      : `\n${styleText('red', 'Not every step was true.')} Please report what is shown above.`,
  )
  return good
}

/** Prints the rounds and remembers whether all came out as told. */
class Story {
  good = true
  readonly #description: SandboxDescription
  readonly #hostname: string
  readonly #served: Resolver
  #step = 0

  constructor(description: SandboxDescription, hostname: string, served: Resolver) {
    this.#description = description
    this.#hostname = hostname
    this.#served = served
  }

  heading(text: string): void {
    this.#step++
    write(`\n${bold(`${this.#step}  ${text}`)}`)
  }

  /** The address changes, the action runs as on schedule, and the name server is asked. */
  async round(heading: string, address: string, result: 'updated' | 'unchanged'): Promise<void> {
    this.heading(heading)
    const { cloudflare, echo, control } = this.#description
    await fetch(`${control}/echo`, { method: 'PUT', body: JSON.stringify({ address }) })
    const step = await runStep({
      'api-token': cloudflare.dnsToken,
      'zone-id': cloudflare.zoneId,
      hostname: this.#hostname,
      'address-sources': echo.join('\n'),
      'base-url': cloudflare.baseUrl,
      'allow-reserved-address': 'true',
      'mask-address': 'false',
    })
    const { 'previous-address': before, address: after, requests } = step.outputs
    const change = before === after ? `${after}` : `${before} -> ${after}`
    const took = dim(`${requests} requests, ${(step.elapsedMs / 1000).toFixed(2)} s`)
    this.#tell('action', step.outputs['result'] ?? 'no result', `${change.padEnd(30)}${took}`, [
      step.status === 0,
      step.outputs['result'] === result,
      after === address,
    ])
    if (step.status !== 0) write(step.log)
    const answer = await this.ask()
    const ttl = dim(`ttl ${answer?.ttl ?? '-'}`)
    this.#tell('name server', 'answers', `${(answer?.address ?? 'nothing').padEnd(30)}${ttl}`, [
      answer?.address === address,
      answer?.ttl === 120,
    ])
  }

  /** The one address that the name server gives for the hostname; null when it gives none or several. */
  async ask(): Promise<RecordWithTtl | null> {
    const answers = await this.#served.resolve4(this.#hostname, { ttl: true }).catch(() => [])
    return answers.length === 1 ? (answers[0] ?? null) : null
  }

  #tell(who: string, what: string, detail: string, checks: readonly boolean[]): void {
    const good = checks.every(check => check)
    this.good &&= good
    const sign = good ? styleText('green', '✓') : styleText('red', '✗')
    write(`   ${sign} ${who.padEnd(13)}${what.padEnd(11)}${detail}`)
  }
}

async function keepServing({ cloudflare, nameServer }: SandboxDescription): Promise<void> {
  // Before anything is said: whoever reads that may end it at once.
  const ended = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  write(`\nStill serving, until Ctrl-C. Ask for yourself:`)
  write(`  dig @${nameServer.host} -p ${nameServer.port} home.${cloudflare.zoneName} A +short`)
  await ended
}
