import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts'
import { askNameServers, hostnameIn } from '../test/journeys/emulated-network.ts'
import { type PushEndpoint, startPushEndpoint } from '../test/journeys/push-endpoint.ts'
import { bold, sign } from '../test/journeys/story.ts'
import { conclude, dim, write } from './show.ts'

export const help = `Shows a router's pings to the push endpoint, and what a name server answers after each.

  npm run demo -- push

  --help   print this help

The exit status is 0 only if every step succeeded.
`

// Public addresses, since the endpoint refuses those for documentation. Nothing is sent to them.
const home = '8.8.4.10'
const second = '8.8.4.77'

/** Runs the demo. Returns the exit status. */
export async function run(): Promise<number> {
  await using open = new AsyncDisposableStack()
  const sandbox = open.adopt(await startSandbox(), of => of.close())
  const hostname = hostnameIn(sandbox.description)
  const endpoint = open.adopt(await startPushEndpoint(sandbox.description, hostname), of => of.close())
  return await show(sandbox, endpoint)
}

/** Shows the pings, step by step. Returns the exit status. */
async function show({ description, control }: Sandbox, endpoint: PushEndpoint): Promise<number> {
  const failed: string[] = []

  async function step(
    heading: string,
    [address, password]: readonly [address: string, password?: string],
    [wanted, after, writes]: readonly [answer: string, address: string, writes: number],
  ): Promise<void> {
    const before = control.journal().length
    const { status, body, elapsedMs } = await endpoint.ping(address, password)
    const requests = control.journal().slice(before)
    const wrote = requests.filter(({ method }) => method !== 'GET').length
    const [served] = await askNameServers(description)
    const right = `${status} ${body}`.startsWith(wanted) && served?.address === after && wrote === writes
    if (!right) failed.push(heading)
    write(`\n${bold(heading)}`)
    write(`   ${sign(right)} ${'endpoint'.padEnd(13)}${`${status} ${body}`}`)
    write(`     ${'name server'.padEnd(13)}${served?.address ?? 'nothing'}`)
    write(
      `     ${dim(`requests to Cloudflare: ${requests.length}, writes: ${wrote}, ${elapsedMs.toFixed(0)} ms`)}`,
    )
  }

  write(bold("A router's pings keep a hostname at its address."))
  write('It takes a few seconds.')
  write(`
Everything runs on this machine. The DNS service and its name server are emulators; the endpoint is the
built push.js. Nothing is sent to the addresses. Plain http is for the demo only: docs/router-reference.md says why.`)
  write(`\n  ${'endpoint'.padEnd(17)}${endpoint.url}`)
  const [start] = await askNameServers(description)
  write(`  ${hostnameIn(description).padEnd(17)}${start?.address ?? 'no address'}`)

  await step(`The router reports ${home}`, [home], [`200 good ${home}`, home, 1])
  await step('It reports the same address again', [home], [`200 nochg ${home}`, home, 0])
  await step(`The address changes to ${second}`, [second], [`200 good ${second}`, second, 1])
  await step('Somebody sends a wrong password', [home, 'wrong'], ['401 badauth', second, 0])
  await step('The router reports a private address', ['192.168.1.7'], ['503 dnserr', second, 0])
  const away = { kind: 'respond', status: 503, headers: { 'retry-after': '300' } } as const
  control.setFaults([{ match: { service: 'cloudflare' }, times: null, answer: away }])
  await step('The address changes while Cloudflare is away', [home], ['503 911', second, 0])
  control.setFaults([])
  await step('The router repeats its ping, and Cloudflare is back', [home], [`200 good ${home}`, home, 1])
  return conclude(failed, 'three changes were written once each, and nothing else was.')
}
