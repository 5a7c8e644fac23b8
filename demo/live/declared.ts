import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Graph, GraphResource } from '../../sandbox/pulumi/engine/graph.ts'
import type { Json } from '../../sandbox/pulumi/properties.ts'

/** Who decides the value of a field. */
type Owner = 'Pulumi' | 'action' | 'people'

/** One field of a declared resource, as text to show. */
export interface DeclaredField {
  readonly name: string
  readonly value: string
  readonly owner: Owner
}

/** A resource that the Pulumi program declares. */
export interface DeclaredResource {
  readonly name: string
  /** Such as `DnsRecord`. */
  readonly kind: string
  /** Names of the resources whose outputs it takes. */
  readonly needs: readonly string[]
  readonly fields: readonly DeclaredField[]
}

const timeoutMs = 120_000
const maxValueCharacters = 80

/**
 * Runs the Pulumi program in the embedded engine and returns what it declares. Nothing is created. Uses a process of its
 * own, because loading the SDK blocks for seconds.
 * @param keys of its configuration, with the hostname and the ids of the demo
 */
export async function declareInChild(
  keys: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly DeclaredResource[]> {
  const options = {
    signal,
    timeout: timeoutMs,
    maxBuffer: 4 * 1024 * 1024,
    env: { PATH: process.env['PATH'] },
  }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [fileURLToPath(import.meta.url), JSON.stringify(keys)],
    options,
  )
  return JSON.parse(stdout) as readonly DeclaredResource[]
}

/** Returns the resources of a graph in the order of their names, without providers and components. */
function resourcesIn({ resources }: Graph): readonly DeclaredResource[] {
  const shown = resources.filter(({ custom, type }) => custom && !type.startsWith('pulumi:providers:'))
  const names = new Map(shown.map(({ urn, name }) => [urn, name]))
  return shown
    .map(resource => ({
      name: resource.name,
      kind: resource.type.split(':').at(-1) ?? resource.type,
      needs: resource.dependencies.flatMap(urn => names.get(urn) ?? []),
      fields: fieldsOf(resource),
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name))
}

function fieldsOf({ inputs, secretInputs, options }: GraphResource): readonly DeclaredField[] {
  const { ignoreChanges = [] } = options
  const secret = new Set(secretInputs.map(path => /^[^.[]*/.exec(path)?.[0]))
  return [...new Set([...Object.keys(inputs), ...ignoreChanges])].map(name => ({
    name,
    value: secret.has(name) ? 'secret' : shorten(inputs[name]),
    owner: ignoreChanges.includes(name) ? (name === 'content' ? 'action' : 'people') : 'Pulumi',
  }))
}

function shorten(value: Json | undefined): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > maxValueCharacters ? `${text.length} characters` : text
}

if (import.meta.main) {
  const { declare } = await import('../../test/support/declared.ts')
  const keys = Object.entries<string>(JSON.parse(process.argv[2] ?? ''))
  const changes = Object.fromEntries(keys.map(([key, value]) => [`homeport:${key}`, value]))
  const { graph, log, succeeded } = await declare(changes)
  if (!succeeded) throw new Error(log.map(({ message }) => message).join('\n'))
  process.stdout.write(JSON.stringify(resourcesIn(graph)))
}
