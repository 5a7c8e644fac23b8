import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Declared, Stack as PolicyStack } from '../../infra/policy/rule.ts'
import { readWorkerBundle } from '../../infra/resources/worker-bundle.ts'
import { type ProgramRun, runProgram } from '../../sandbox/pulumi/engine/engine.ts'
import type { Graph } from '../../sandbox/pulumi/engine/graph.ts'
import { root } from '../../tools/bundle.ts'
import {
  cannedSecrets,
  demoConfig,
  demoHosts,
  ensureWorker,
  keyed,
  program as ownProgram,
  stackName,
} from './deployment.ts'

const place = { zoneId: '0'.repeat(32), accountId: 'f'.repeat(32) }

/** Changes to the demo's configuration, which give each part that a stack can have. */
interface Variant {
  readonly config: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
}
const variants: readonly Variant[] = [
  { config: {}, secrets: {} },
  { config: keyed({ signIn: 'host' }), secrets: {} },
  {
    config: keyed({
      push: 'worker',
      pushOrigin: 'https://push.example.com',
      clock: 'you/dns/dns.yml',
      tokenExpiresOn: '2099-01-01T00:00:00Z',
      tokenAllowedCidrs: '203.0.113.0/24',
    }),
    secrets: keyed({
      pushHosts: `${demoHosts.dynamic} A sha256:${'ab54'.repeat(16)}`,
      clockToken: 'github_pat_0123456789abcdefghijkl',
    }),
  },
]

interface DeclaredStack {
  readonly run: ProgramRun
  readonly stack: PolicyStack
}

const workers = ['worker', 'push-worker', 'clock-worker'] as const

/**
 * Runs the program for each variant. Creates nothing. The first is the demo's stack.
 * @param tree with another program, which gets Workers that are not its own: nothing else of the tree runs
 */
export async function declareAll(tree?: string): Promise<readonly DeclaredStack[]> {
  await Promise.all(
    workers.map(name => (tree === undefined ? ensureWorker(name) : replaceWorker(tree, name))),
  )
  return Promise.all(variants.map(variant => declare(variant, tree)))
}

async function declare(changes: Variant, tree = root): Promise<DeclaredStack> {
  const config = { ...demoConfig(place), ...changes.config }
  const secrets = { ...cannedSecrets, ...changes.secrets }
  const program = tree === root ? ownProgram : join(tree, 'infra/index.ts')
  const run = await runProgram({ program, stack: stackName, config, secrets })
  const given = new Map(Object.entries({ ...config, ...secrets }))
  const readBundle = readWorkerBundle.bind(null, tree)
  return { run, stack: { project: 'homeport', name: stackName, config: given, env: {}, readBundle } }
}

/** Writes a Worker that passes for the built one of a tree. */
async function replaceWorker(tree: string, name: string): Promise<void> {
  const digest = (text: string) => createHash('sha256').update(text).digest('hex')
  const content = `export default '${name}'`
  const record = { bundle: digest(content), inputs: { [`build/${name}.js`]: digest(content) } }
  await mkdir(join(tree, 'build'), { recursive: true })
  await writeFile(join(tree, `build/${name}.js`), content)
  await writeFile(join(tree, `build/${name}.inputs.json`), JSON.stringify(record))
}

const nameIn = (urn: string): string => urn.split('::').slice(3).join('::')

/** Converts a captured graph to the form that the policies judge. */
export function declaredIn({ resources }: Graph): readonly Declared[] {
  return resources.map(({ type, name, custom, parent, inputs, options, provider, propertyDependencies }) => ({
    type,
    name,
    props: inputs,
    options: {
      parent: nameIn(parent),
      // As the engine names its own.
      provider: custom ? nameIn(provider) || 'default_1_0_0' : null,
      protect: options.protect === true,
      ignoreChanges: options.ignoreChanges ?? [],
      deleteBeforeReplace: options.deleteBeforeReplace === true,
      additionalSecretOutputs: options.additionalSecretOutputs ?? [],
    },
    from: [...new Set(Object.values(propertyDependencies).flat().map(nameIn))],
  }))
}
