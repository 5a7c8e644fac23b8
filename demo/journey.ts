import { styleText } from 'node:util'
import { findPulumi } from '../tools/pulumi-cli.ts'
import type { Check } from './journey/check.ts'
import type { Scene, Step } from './journey/scene.ts'
import { bold, dim, misuse, sign, type Values, write } from './show.ts'

export const help = `Shows the whole life of a deployment, against emulated services on this machine: deploy, follow addresses, sign in,
deactivate, rotate, find drift, destroy. Each step checks what the services and the name server say.

  npm run demo -- journey [host | worker] [options]

  host         the handler runs on a host of your own, behind Caddy, and protects an application there (default)
  worker       the handler is a Worker on its own host

  --embedded   use the embedded engine even if there is a Pulumi CLI
  --help       print this help

A Pulumi CLI of the right version is used if it is on PATH, or was built by npm test -- --project engine. A headless browser signs in.
The exit status is 0 only if every step succeeded.
`

export const takesWords = true
export const options = { embedded: { type: 'boolean' } } as const

/** Runs the demo. Returns the exit status. */
export async function run(values: Values, [story = 'host', ...more]: readonly string[]): Promise<number> {
  if (more.length > 0 || (story !== 'host' && story !== 'worker'))
    return misuse('journey', 'Name one story: host or worker.')
  write('This takes about a minute, and longer if the engine has to be built first.')
  const pulumi = values['embedded'] ? undefined : await findPulumi(write)
  // Imported only when they are told, because the emulators take seconds to load.
  if (story === 'host') {
    const { HostJourney, hostSteps } = await import('./journey/host-steps.ts')
    return tell(await HostJourney.start(pulumi), hostSteps)
  }
  const { Journey, journeySteps } = await import('./journey/steps.ts')
  return tell(await Journey.start(pulumi), journeySteps)
}

/** Walks the steps until one fails. Returns the exit status. */
async function tell<Story extends Scene>(journey: Story, steps: readonly Step<Story>[]): Promise<number> {
  await using open = new AsyncDisposableStack()
  open.adopt(journey, of => of.close())
  write(
    `The program runs in ${journey.stack.engine}. Every service is emulated; nothing leaves this machine.`,
  )
  const startedMs = performance.now()
  for (const [index, { title, run: runStep }] of steps.entries()) {
    const beganMs = performance.now()
    write(`\n${bold(`${index + 1} of ${steps.length}  ${title}`)}`)
    const checks = await runStep(journey).catch(failed)
    for (const { what, good, detail } of checks) write(`   ${sign(good)} ${what.padEnd(26)}${detail}`)
    write(dim(`   ${secondsSince(beganMs)} s`))
    if (!checks.every(({ good }) => good)) {
      write(`\n${styleText('red', `Step ${index + 1} failed, ${title}, so the rest was skipped.`)}`)
      return 1
    }
  }
  write(`\n${styleText('green', 'Every step succeeded')} in ${secondsSince(startedMs)} s.`)
  return 0
}

function failed(error: unknown): readonly Check[] {
  return [{ what: 'failed', good: false, detail: error instanceof Error ? error.message : String(error) }]
}

function secondsSince(startedMs: number): string {
  return ((performance.now() - startedMs) / 1000).toFixed(1)
}
