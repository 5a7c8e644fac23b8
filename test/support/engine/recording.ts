import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { graph } from '../../../infra/resources/registration-arguments.ts'
import { readWorkerBundle } from '../../../infra/resources/worker-bundle.ts'
import { hashPassword } from '../../../push/passwords.ts'
import { type FullDescription, startSandbox } from '../../../sandbox/sandbox.ts'
import type { SandboxState } from '../../../sandbox/testing/state.ts'
import { root } from '../../../tools/bundle.ts'
import { encrypted } from '../../infra/support/exported.ts'
import { daysAgo, sessionKeys } from '../configuration.ts'
import { type Services, sandboxOptions } from './services.ts'
import { routerPassword, type Stack } from './stack.ts'

/** What the real CLI left of a stack, without secrets: `npx vitest run test/engine/advice.test.ts -t 'CLI exports' -u` writes it. */
export const recordingFile = join(root, 'test/infra/golden/deployed.yaml')

/** A deployed stack. */
interface Recording {
  /** As `pulumi config --json` prints it. */
  readonly config: Readonly<Record<string, { readonly value?: string }>>
  /** As `pulumi stack export` prints it, without what nobody here reads. */
  readonly state: object
  /** The double's state of the same moment, for `setState`. */
  readonly services: Pick<SandboxState, 'records' | 'tokens' | 'workers' | 'databases'> & {
    readonly entra: Pick<SandboxState['entra'], 'applications' | 'servicePrincipals'>
    readonly github: Pick<SandboxState['github'], 'environments'>
  }
}

/** Reads the recording, for these services and today. */
export function readRecording({ sandbox: { description }, state }: Services): Recording {
  const text = replaced(
    JSON.stringify(parse(readFileSync(recordingFile, 'utf8'))),
    [...variableTexts(description), [new Date().toISOString(), '[now]'] as const].map(([own, name]) => [
      name,
      own,
    ]),
  )
  const { services, ...rest } = JSON.parse(text) as Recording
  return { ...rest, services: { ...services, tokens: [...state.tokens, ...services.tokens] } }
}

/** Returns the recording of a stack: the same text for the same program, whenever and wherever it ran. */
export async function recordingOf(stack: Stack): Promise<string> {
  const { services } = stack.stage
  const { description } = services.sandbox
  const { zoneId } = description.cloudflare
  const { tokens, entra, github, records, workers, databases } = services.state
  const { version, deployment } = JSON.parse(await stack.must(['stack', 'export']))
  const own = tokens.filter(({ owner }) => owner === 'account')
  const recording: Recording = {
    config: JSON.parse(await stack.must(['config', '--json'])),
    state: { version, deployment: { resources: deployment.resources.map(withoutTimes) } },
    services: {
      tokens: own,
      records: { [zoneId]: records[zoneId] ?? [] },
      workers,
      databases,
      entra: { applications: entra.applications, servicePrincipals: entra.servicePrincipals },
      github: { environments: github.environments },
    },
  }
  const secrets = [
    ...services.clientSecrets,
    ...[sessionKeys, await hashPassword(routerPassword), description.github.token],
  ]
  const text = replaced(JSON.stringify(recording, inOrder), [
    // Cloudflare's double finds a token by its value.
    ...own.map(({ name, value }) => [value, `value of ${name}`] as const),
    ...secrets.map(secret => [secret, 'hidden'] as const),
    ...(['worker', 'push-worker'] as const).flatMap(bundleTexts),
    ...variableTexts(description),
  ])
    .replaceAll(/"(ciphertext|etag)":"[^"]+"/g, '"$1":"hidden"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '[now]')
    .replaceAll(/\d{4}-\d\d-\d\d [\d:.]+ \+0000 UTC/g, '[now]')
  const named = await withOwnIds(text)
  return stringify(JSON.parse(named), { lineWidth: 0, aliasDuplicateObjects: false })
}

type Replacements = readonly (readonly [text: string, by: string])[]
const replaced = (text: string, replacements: Replacements): string =>
  replacements.reduce((rest, [found, by]) => rest.replaceAll(found, by), text)

/** What differs from one run to the next, with the name that replaces it. */
function variableTexts({ cloudflare, entra, github }: FullDescription): Replacements {
  return [
    [entra.graphUrl, '[graph]'],
    [entra.instance.replace(/\/$/, ''), '[instance]'],
    [github.baseUrl, '[github]'],
    [cloudflare.baseUrl, '[cloudflare]'],
    // When the client secrets were created, and their ends.
    ...[10, 60, -170, -120].map(days => [daysAgo(days), `[${days} days ago]`] as const),
  ]
}

/** Returns a small Worker in the place of a bundle, and its hash. */
function bundleTexts(name: 'worker' | 'push-worker'): Replacements {
  const bundle = readWorkerBundle(root, name)
  const code = `export default { fetch: () => new Response('${name}') }`
  return [
    [JSON.stringify(bundle.content), JSON.stringify(code)],
    [bundle.sha256, createHash('sha256').update(code).digest('hex')],
  ]
}

/** Leaves out what only the engine reads: times, plans of timeouts, and who depends on whom. */
function withoutTimes(resource: Readonly<Record<string, unknown>>): object {
  const read = ['urn', 'type', 'id', 'custom', 'inputs', 'outputs', 'protect', 'external', 'delete']
  return Object.fromEntries(read.flatMap(key => (key in resource ? [[key, resource[key]]] : [])))
}

const nameOf = (one: object): string =>
  ['urn', 'name', 'hostname', 'displayName'].map(key => String(Reflect.get(Object(one), key))).join()

/** Sorts keys, and what has a name: several are created at once. */
function inOrder(_: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

const ids = /(?<![\w-])(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![\w-])/g

/** Numbers the ids that the run created, in the order of the text. */
async function withOwnIds(text: string): Promise<string> {
  const fresh = await startSandbox(sandboxOptions)
  const every = [fresh.description, fresh.control.state(), graph, encrypted]
  const known = new Set(JSON.stringify(every).match(ids))
  await fresh.close()
  const numbered = new Map<string, string>()
  return text.replaceAll(ids, id => {
    if (known.has(id)) return id
    const number = String(numbered.size + 1)
    const own = id.includes('-')
      ? `00000000-0000-4000-8000-${number.padStart(12, '0')}`
      : number.padStart(32, '0')
    numbered.set(id, numbered.get(id) ?? own)
    return numbered.get(id) ?? id
  })
}
