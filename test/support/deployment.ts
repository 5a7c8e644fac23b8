import { join } from 'node:path'
import { readWorkerBundle } from '../../infra/resources/worker-bundle.ts'
import { root } from '../../tools/bundle.ts'
import { bundleClock, bundlePushWorker } from '../../tools/push.ts'
import { bundleWorker } from '../../tools/worker.ts'
import { daysAgo } from './configuration.ts'
import { environmentName } from './engine/services.ts'

/** Path of the program that the demo runs. */
export const program = join(root, 'infra/index.ts')
export const stackName = 'demo'
const repository = 'homeport/homeport'

/** Hosts of the demo's stack. */
export const demoHosts = { dynamic: 'office.example.com', signIn: 'people.example.com' } as const
export const publicOrigin = `https://${demoHosts.signIn}`

/** Returns the configuration of the demo's stack. */
export function demoConfig(place: { readonly zoneId: string; readonly accountId: string }) {
  return keyed({
    ...place,
    hostname: demoHosts.dynamic,
    publicOrigin,
    secretRotationA: daysAgo(90),
    secretRotationB: daysAgo(30),
    // The minting token of the demo may create account-owned tokens only.
    tokenOwner: 'account',
    allowedDomains: 'example.com',
    repository,
    environment: environmentName,
  })
}

/** Returns values of the program's configuration by their whole keys. */
export function keyed(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [`homeport:${key}`, value]))
}

/** A session key and a minting token in the right form. No service accepts them. */
export const cannedSecrets = {
  'homeport:sessionKeys': `demo:${Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64url')}`,
  'homeport:mintingApiToken': 'a'.repeat(40),
}

const bundlers = { worker: bundleWorker, 'push-worker': bundlePushWorker, 'clock-worker': bundleClock }

/** Builds a Worker unless it is up to date. */
export async function ensureWorker(name: keyof typeof bundlers = 'worker'): Promise<void> {
  try {
    readWorkerBundle(root, name)
  } catch {
    await bundlers[name]()
  }
}
