import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts'
import { redirectUriOf } from '../src/settings/redirect-uri.ts'
import { freePort } from '../tools/free-port.ts'
import { type PushEndpoint, startPushEndpoint } from './push-endpoint.ts'
import { PushedRecord } from './pushed-record.ts'
import { bold, conclude, dim, sign, type Values, write } from './show.ts'

export const help = `Shows a router's pings to the push endpoint, and what a name server answers after each.

  npm run demo -- push [options]

  --keep   keep everything running at the end, until Ctrl-C, with a page that shows the pings arrive
  --help   print this help

The exit status is 0 only if every step succeeded.
`

export const options = { keep: { type: 'boolean' } } as const

const second = '8.8.4.77'

/** Runs the demo. Returns the exit status. */
export async function run({ keep }: Values): Promise<number> {
  const port = await freePort()
  const redirectUris = [redirectUriOf(`http://localhost:${port}`)]
  await using open = new AsyncDisposableStack()
  const sandbox = open.adopt(await startSandbox(keep ? { entra: { redirectUris } } : {}), of => of.close())
  const hostname = `home.${sandbox.description.cloudflare.zoneName}`
  const endpoint = open.adopt(await startPushEndpoint(sandbox.description, hostname), of => of.close())
  const record = new PushedRecord(sandbox, endpoint)
  const status = await show(sandbox, endpoint, record)
  if (keep) {
    const { keepServing } = await import('./live/start.ts')
    const query = `hostname=${hostname}&myip=${second}`
    await keepServing({ sandbox, record, port }, [
      'The endpoint keeps running until Ctrl-C. Watch the pings arrive in a browser; each round there is a ping:',
      'Or send one yourself:',
      `curl --user homeport:${endpoint.password} '${endpoint.url}?${query}'`,
    ])
  }
  return status
}

/** Shows the pings, step by step. Returns the exit status. */
async function show(sandbox: Sandbox, endpoint: PushEndpoint, record: PushedRecord): Promise<number> {
  const { control } = sandbox
  const home = record.address
  const failed: string[] = []

  async function step(
    heading: string,
    [address, password]: readonly [address: string, password?: string],
    [wanted, after, writes]: readonly [answer: string, address: string, writes: number],
  ): Promise<void> {
    const { status, body, elapsedMs, requests, served: all } = await record.ping(address, password)
    const wrote = requests.filter(({ method }) => method !== 'GET').length
    const [served] = all
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
built push.js. Nothing is sent to the addresses. Plain http is for the demo only: docs/router.md says why.`)
  write(`\n  ${'endpoint'.padEnd(17)}${endpoint.url}`)
  const [start] = await record.ask()
  write(`  ${record.hostname.padEnd(17)}${start?.address ?? 'no address'}`)

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
