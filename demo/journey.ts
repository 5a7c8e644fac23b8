import { UsageError } from '../lib/command.ts'
import { tell } from '../test/journeys/story.ts'
import { pulumiCli, pulumiVersion } from '../tools/pulumi-cli.ts'
import { type Values, write } from './show.ts'

export const help = `Shows the whole life of a deployment, against emulated services on this machine: deploy, follow addresses, sign in,
deactivate, rotate, find drift, destroy. Each step checks what the services and the name server say.

  npm run demo -- journey [host | worker]

  host     the handler runs on a host of your own, behind Caddy, and protects an application there (default)
  worker   the handler is a Worker on its own host

  --help   print this help

It needs Pulumi ${pulumiVersion} on PATH, or Go, which builds it once in a few minutes. A headless browser signs in.
The exit status is 0 only if every step succeeded.
`

export const takesWords = true

/** Runs the demo. Returns the exit status. */
export async function run(_: Values, [place = 'host', ...more]: readonly string[]): Promise<number> {
  if (more.length > 0 || (place !== 'host' && place !== 'worker'))
    throw new UsageError('Name one place of the handler: host or worker.')
  write('This takes about a minute, and longer if the engine has to be built first.')
  const pulumi = await pulumiCli(write)
  // Imported only when they are told, because the emulators take seconds to load.
  const { deploymentSteps } = await import('../test/journeys/deployment.ts')
  const { HostDeployment } = await import('../test/journeys/host-deployment.ts')
  const { WorkerDeployment } = await import('../test/journeys/worker-deployment.ts')
  await using open = new AsyncDisposableStack()
  const starting = place === 'host' ? HostDeployment.start(pulumi) : WorkerDeployment.start(pulumi)
  const story = open.adopt(await starting, of => of.close())
  write(
    `The program runs in Pulumi ${pulumiVersion}. Every service is emulated; nothing leaves this machine.`,
  )
  const isTold = await tell(story, deploymentSteps, { print: write })
  write(isTold ? '\nEvery step succeeded.' : '\nA step failed, so the rest was skipped.')
  return isTold ? 0 : 1
}
