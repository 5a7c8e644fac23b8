import { once } from 'node:events'
import { parseArgs, styleText } from 'node:util'
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts'
import { redirectUriOf } from '../src/settings/redirect-uri.ts'
import { freePort } from '../tools/free-port.ts'
import { type PushEndpoint, startPushEndpoint } from './push-endpoint.ts'
import { PushedRecord } from './pushed-record.ts'

const help = `Shows a router's pings to the push endpoint, and what a name server answers after each.

  npm run demo -- push [options]

  --keep   keep everything running at the end, until Ctrl-C, with a page that shows the pings arrive
  --help   print this help

The exit status is 0 only if every step succeeded.
`

const secondAddress = '8.8.4.77'

const write = (text: string) => void process.stdout.write(`${text}\n`)
const bold = (text: string) => styleText('bold', text)
const dim = (text: string) => styleText('dim', text)

/** Runs the demo. Returns the exit status. */
export async function run(args: string[]): Promise<number> {
  let asked: { readonly help?: boolean; readonly keep?: boolean }
  try {
    asked = parseArgs({
      args,
      options: { help: { type: 'boolean', short: 'h' }, keep: { type: 'boolean' } },
    }).values
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(`${reason}\nSee npm run demo -- push --help.\n`)
    return 2
  }
  if (asked.help) {
    process.stdout.write(help)
    return 0
  }
  const pagePort = await freePort()
  const redirectUris = [redirectUriOf(`http://localhost:${pagePort}`)]
  const sandbox = await startSandbox(asked.keep ? { entra: { redirectUris } } : {})
  try {
    const hostname = `home.${sandbox.description.cloudflare.zoneName}`
    const endpoint = await startPushEndpoint(sandbox.description, hostname)
    try {
      const record = new PushedRecord(sandbox, endpoint)
      const succeeded = await show(sandbox, endpoint, record)
      if (asked.keep) await keepServing(sandbox, endpoint, record, pagePort)
      return succeeded ? 0 : 1
    } finally {
      await endpoint.close()
    }
  } finally {
    await sandbox.close()
  }
}

/** Shows the pings, step by step. Returns whether every step succeeded. */
export async function show(sandbox: Sandbox, endpoint: PushEndpoint, record: PushedRecord): Promise<boolean> {
  const { control } = sandbox.description
  const home = record.address
  const failed: string[] = []

  async function step(
    heading: string,
    address: string,
    wanted: string,
    after: string,
    writes: number,
    password?: string,
  ): Promise<void> {
    const before = sandbox.control.journal().length
    const { status, body, elapsedMs } = await endpoint.ping(address, password)
    const requests = sandbox.control.journal().slice(before)
    const wrote = requests.filter(({ method }) => method !== 'GET').length
    const [served] = await record.ask()
    const right = `${status} ${body}`.startsWith(wanted) && served?.address === after && wrote === writes
    if (!right) failed.push(heading)
    const sign = right ? styleText('green', '✓') : styleText('red', '✗')
    write(`\n${bold(heading)}`)
    write(`   ${sign} ${'endpoint'.padEnd(13)}${`${status} ${body}`}`)
    write(`     ${'name server'.padEnd(13)}${served?.address ?? 'nothing'}`)
    write(
      `     ${dim(`requests to Cloudflare: ${requests.length}, writes: ${wrote}, ${elapsedMs.toFixed(0)} ms`)}`,
    )
  }

  write(bold("A router's pings keep a hostname at its address."))
  write('It takes a few seconds.')
  write(
    '\nEverything runs on this machine. The DNS service and its name server are emulators; the endpoint is the',
  )
  write(
    'built push.js. Nothing is sent to the addresses. Plain http is for the demo only: docs/router.md says why.',
  )
  write(`\n  ${'endpoint'.padEnd(17)}${endpoint.url}`)
  const [start] = await record.ask()
  write(`  ${record.hostname.padEnd(17)}${start?.address ?? 'no address'}`)

  await step(`The router reports ${home}`, home, `200 good ${home}`, home, 1)
  await step('It reports the same address again', home, `200 nochg ${home}`, home, 0)
  await step(
    `The address changes to ${secondAddress}`,
    secondAddress,
    `200 good ${secondAddress}`,
    secondAddress,
    1,
  )
  await step('Somebody sends a wrong password', home, '401 badauth', secondAddress, 0, 'wrong')
  await step('The router reports a private address', '192.168.1.7', '503 dnserr', secondAddress, 0)
  const away = { kind: 'respond', status: 503, headers: { 'retry-after': '300' } }
  await setFaults(control, [{ match: { service: 'cloudflare' }, times: null, answer: away }])
  await step('The address changes while Cloudflare is away', home, '503 911', secondAddress, 0)
  await setFaults(control, [])
  await step('The router repeats its ping, and Cloudflare is back', home, `200 good ${home}`, home, 1)
  write(
    failed.length === 0
      ? `\n${styleText('green', 'Every step succeeded:')} three changes were written once each, and nothing else was.`
      : `\n${styleText('red', `Failed: ${failed.join('; ')}.`)} Please report the output above.`,
  )
  return failed.length === 0
}

async function setFaults(control: string, faults: readonly object[]): Promise<void> {
  await fetch(`${control}/faults`, { method: 'PUT', body: JSON.stringify({ faults }) })
}

/** Serves the live page until a signal. */
async function keepServing(
  sandbox: Sandbox,
  endpoint: PushEndpoint,
  record: PushedRecord,
  port: number,
): Promise<void> {
  // Listen before printing: a reader of the text may send the signal at once.
  const ended = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  const { startLivePage } = await import('./live/start.ts')
  const page = await startLivePage({ sandbox, record, port })
  write(
    '\nThe endpoint keeps running until Ctrl-C. Watch the pings arrive in a browser; each round there is a ping:',
  )
  write(`  ${page.url}`)
  write('Or send one yourself:')
  write(
    `  curl --user homeport:${endpoint.password} '${endpoint.url}?hostname=${record.hostname}&myip=${secondAddress}'`,
  )
  await ended
  await page.close()
}
