import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts'
import { askNameServers, hostnameIn, runFrom } from '../test/journeys/emulated-network.ts'
import { bold, sign } from '../test/journeys/story.ts'
import { conclude, dim, write } from './show.ts'

export const help = `Shows a hostname that follows a changing address, with the shipped action and a name server.

  npm run demo                        this demo
  npm run demo -- sign-in [options]   sign in as an employee, in a browser
  npm run demo -- infra [options]     what the Pulumi program declares
  npm run demo -- push [options]      a router's pings to the push endpoint
  npm run demo -- journey [options]   deploy, sign in, rotate, find drift, destroy

  --help   print this help

The exit status is 0 only if every step succeeded.
`

// RFC 5737 reserves these addresses for documentation.
const firstAddress = '203.0.113.10'
const secondAddress = '203.0.113.77'
const steps = 4

/** Runs the demo. Returns the exit status. */
export async function run(): Promise<number> {
  write(bold('Homeport keeps a hostname pointed at a changing address.'))
  write(`This shows it in ${steps} steps, and takes a few seconds.\n`)
  await using open = new AsyncDisposableStack()
  const sandbox = open.adopt(await startSandbox(), of => of.close())
  return await show(sandbox)
}

/** Shows the demo against this sandbox, step by step. Returns the exit status. */
async function show({ description, control }: Sandbox): Promise<number> {
  const { cloudflare, nameServer, echo } = description
  const hostname = hostnameIn(description)
  write(`Everything below runs on this machine. The DNS service, its name server and the three echo services
are emulators; the action is the shipped bundle. The addresses are reserved for documentation, so the
action accepts them only with ${dim('allow-reserved-address: true')}.\n`)
  write(`  ${'DNS service'.padEnd(15)}${cloudflare.baseUrl}`)
  write(`  ${'name server'.padEnd(15)}${nameServer.host}:${nameServer.port}`)
  write(`  ${'echo services'.padEnd(15)}${echo.join('  ')}`)

  const failed: string[] = []
  let step = 0
  function heading(text: string): void {
    step += 1
    write(`\n${bold(`${step} of ${steps}  ${text}`)}`)
  }
  const check = (who: string, what: string, detail: string, isRight: boolean) =>
    write(`   ${sign(isRight)} ${who.padEnd(13)}${what.padEnd(11)}${detail}`)
  /** Changes the address, runs the action as a schedule would, and asks the name server. */
  async function round(text: string, address: string, wanted: 'updated' | 'unchanged'): Promise<void> {
    heading(text)
    control.setState({ echo: { address } })
    const startedMs = performance.now()
    const inputs = { 'api-token': cloudflare.dnsToken, 'zone-id': cloudflare.zoneId, hostname }
    const { status, outputs, log } = await runFrom(description, inputs)
    const elapsedMs = performance.now() - startedMs
    const served = await askNameServers(description)
    const { result = 'no result', 'previous-address': before, address: after, requests } = outputs
    const change = before === after ? `${after}` : `${before} -> ${after}`
    const took = dim(`${requests} requests, ${(elapsedMs / 1000).toFixed(2)} s`)
    const isRun = status === 0 && result === wanted && after === address
    check('action', result, `${change.padEnd(30)}${took}`, isRun)
    if (status !== 0) write(log)
    const [answer] = served
    const ttl = dim(`ttl ${answer?.ttl ?? '-'}`)
    const isServed = served.every(one => one.address === address && one.ttl === 120)
    check('name server', 'answers', `${(answer?.address ?? 'nothing').padEnd(30)}${ttl}`, isServed)
    if (!(isRun && isServed)) failed.push(`step ${step}, ${text}`)
  }
  const [first] = await askNameServers(description)
  heading(`${hostname} starts at ${first?.address ?? 'no address'}`)
  await round(`The address changes to ${firstAddress}`, firstAddress, 'updated')
  await round('Ten minutes later, it is still the same', firstAddress, 'unchanged')
  await round(`The address changes to ${secondAddress}`, secondAddress, 'updated')
  return conclude(failed, 'the name server followed the address, and one run wrote nothing.')
}
