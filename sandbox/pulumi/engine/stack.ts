import type { Difference } from '../plugins/provider.ts'
import type { FoundResource, PriorResource } from '../plugins/resource.ts'
import { isEqual, type Json, type Properties, withIgnored } from '../properties.ts'
import { encrypted } from '../wire.ts'
import { type ProgramRun, runProgram } from './engine.ts'
import type { Created, GraphResource, ProviderContext, ResourceProvider } from './graph.ts'
import type { Register } from './monitor.ts'

/** A provider with all methods of a provider plugin. */
export interface LiveProvider extends ResourceProvider {
  diff(
    type: string,
    before: PriorResource,
    now: Properties,
    ignored: readonly string[],
    context: ProviderContext,
  ): Difference
  /** Resolves to null if the resource is gone. */
  read(
    type: string,
    id: string,
    known: PriorResource,
    context: ProviderContext,
  ): Promise<FoundResource | null>
  /** Resolves to the new outputs. */
  update(
    type: string,
    id: string,
    inputs: Properties,
    known: PriorResource,
    ignored: readonly string[],
    context: ProviderContext,
  ): Promise<Properties>
  delete(type: string, id: string, state: Properties, context: ProviderContext): Promise<void>
}

/** The program of a stack, its configuration, and the provider that makes its resources. */
interface StackOptions {
  /** The path of the entry file. */
  readonly program: string
  readonly name: string
  readonly provider: LiveProvider
  /** By full key, as for `runProgram`. */
  readonly config: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
  /** Variables of the program besides PATH. */
  readonly environment?: NodeJS.ProcessEnv
}

/** A change that a resource needs. */
interface Step {
  readonly operation: 'create' | 'update' | 'replace'
  /** The inputs that differ. */
  readonly changes: readonly string[]
}

/** A resource in the state. */
interface Kept extends Created {
  readonly urn: string
  readonly type: string
  readonly name: string
  readonly inputs: Properties
  readonly context: ProviderContext
  readonly protect: boolean
  readonly trigger: Json
  /** The names of inputs and outputs that contain a secret. */
  readonly secret: ReadonlySet<string>
  /** The id that the last run was asked to import. Empty if none. */
  readonly importId: string
}

const knownOf = ({ inputs, outputs }: Kept): PriorResource => ({ inputs, state: outputs })

/**
 * A stack with its state in memory. Every run refreshes the state first, as with `refresh: always`. A replacement is created
 * first and the old resource is deleted last. With `deleteBeforeReplace`, the old resource is deleted first. For targets and
 * retries, use the CLI.
 */
export class EmbeddedStack {
  readonly name: string
  config: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
  readonly #program: string
  readonly #provider: LiveProvider
  readonly #environment: NodeJS.ProcessEnv
  /** In order of creation. Deletions go in reverse order. */
  #state: readonly Kept[] = []
  /** Replaced resources that a failed run did not delete. */
  #leftOver: readonly Kept[] = []

  constructor({ program, name, provider, config, secrets, environment = {} }: StackOptions) {
    this.#program = program
    this.#provider = provider
    this.name = name
    this.config = config
    this.secrets = secrets
    this.#environment = environment
  }

  /** Returns the state as `pulumi stack export` prints it, with a placeholder for the ciphertext of each secret. */
  export(): object {
    const shownOf = ({ secret }: Kept, properties: Properties) =>
      Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [key, secret.has(key) ? encrypted : value]),
      )
    const view = (one: Kept, replaced: boolean) => ({
      urn: one.urn,
      custom: true,
      id: one.id,
      type: one.type,
      inputs: shownOf(one, one.inputs),
      outputs: shownOf(one, one.outputs),
      protect: one.protect,
      delete: replaced,
      ...(one.importId === '' ? {} : { importID: one.importId }),
    })
    const resources = [
      ...this.#state.map(one => view(one, false)),
      ...this.#leftOver.map(one => view(one, true)),
    ]
    return { version: 3, deployment: { manifest: {}, resources } }
  }

  /** Applies the program. If it fails, its changes stay in the state and nothing is deleted. */
  async up(): Promise<ProgramRun> {
    const before = await this.#refreshed()
    this.#state = before
    const registered = new Set<string>()
    const register: Register = async (resource, context, beforeCreate) => {
      registered.add(resource.urn)
      const known = before.find(({ urn }) => urn === resource.urn)
      const imported = await this.#import(resource, known, context)
      if (imported) this.#adopt(imported, known)
      const old = imported ?? known
      return this.#apply(resource, old, this.#plan(resource, old, context), context, beforeCreate)
    }
    const readState = () => Object.fromEntries(this.#state.map(stateOf))
    const { name: stack, config, secrets } = this
    const environment = this.#environment
    const options = {
      program: this.#program,
      stack,
      config,
      secrets,
      environment,
      register,
      readState,
    }
    const run = await runProgram({ ...options, provider: this.#provider })
    const unwanted = before.filter(({ urn }) => !registered.has(urn))
    if (run.succeeded) {
      for (const one of this.#leftOver) await this.#deleteReplaced(one)
      for (const one of unwanted.toReversed()) await this.#delete(one)
    }
    return run
  }

  async #refreshed(): Promise<readonly Kept[]> {
    const found = await Promise.all(
      this.#state.map(async one => {
        const live = await this.#provider.read(one.type, one.id, knownOf(one), one.context)
        return live ? [{ ...one, id: live.id, inputs: live.inputs, outputs: live.state }] : []
      }),
    )
    return found.flat()
  }

  /**
   * Reads the resource to import. Returns null if the program imports nothing, or what the last run imported. The engine
   * compares the id to import with that of the last run, or else with the resource's own (step_generator.go).
   */
  async #import(
    resource: GraphResource,
    known: Kept | undefined,
    context: ProviderContext,
  ): Promise<Kept | null> {
    const { urn, type, name, inputs, options } = resource
    const {
      import: importId,
      ignoreChanges = [],
      protect = false,
      replacementTrigger: trigger = null,
    } = options
    if (importId === undefined || (known && (known.importId || known.id) === importId)) return null
    const found = await this.#provider.read(type, importId, { inputs: {}, state: {} }, context)
    if (found === null) throw new Error(`resource '${importId}' does not exist`)
    const { id, inputs: live, state: outputs } = found
    const { replaces } = this.#provider.diff(
      type,
      { inputs: live, state: outputs },
      withIgnored(inputs, live, ignoreChanges),
      ignoreChanges,
      context,
    )
    if (replaces.length > 0)
      throw new Error('previously-imported resources that still specify an ID may not be replaced')
    const secret = secretOf(resource)
    return { urn, type, name, context, protect, trigger, importId, secret, id, inputs: live, outputs }
  }

  /** Puts an imported resource into the state. The one that it replaces is deleted last, protected or not (observed). */
  #adopt(imported: Kept, known: Kept | undefined): void {
    this.#state = [...this.#state.filter(one => one !== known), imported]
    if (known) this.#leftOver = [known, ...this.#leftOver]
  }

  /** Returns the change that a resource needs, or null if it needs none. */
  #plan(
    { type, inputs, options }: GraphResource,
    old: Kept | undefined,
    context: ProviderContext,
  ): Step | null {
    const { ignoreChanges = [], replacementTrigger = null } = options
    if (old === undefined) return { operation: 'create', changes: [] }
    const now = withIgnored(inputs, old.inputs, ignoreChanges)
    const { changes, replaces } = this.#provider.diff(type, knownOf(old), now, ignoreChanges, context)
    const triggered = !isEqual(old.trigger, replacementTrigger)
    if (triggered) return { operation: 'replace', changes: [...changes, 'replacementTrigger'] }
    if (changes.length === 0) return null
    return { operation: replaces.length > 0 ? 'replace' : 'update', changes }
  }

  async #apply(
    resource: GraphResource,
    old: Kept | undefined,
    step: Step | null,
    context: ProviderContext,
    beforeCreate: () => Promise<void>,
  ): Promise<Created> {
    const { urn, type, name, options } = resource
    const { ignoreChanges = [], replacementTrigger: trigger = null, protect = false } = options
    const { import: importId = '' } = options
    const inputs = old ? withIgnored(resource.inputs, old.inputs, ignoreChanges) : resource.inputs
    const secret = secretOf(resource)
    const keep = (created: Created): Created => {
      const kept: Kept = { urn, type, name, inputs, context, protect, trigger, importId, secret, ...created }
      const others = this.#state.filter(one => one !== old)
      this.#state = [...others, kept]
      return created
    }
    const create = async () => {
      await beforeCreate()
      return keep(await this.#provider.create(type, inputs, context))
    }
    if (old === undefined) return create()
    if (step === null) return keep({ id: old.id, outputs: old.outputs })
    if (step.operation === 'update') {
      const { id } = old
      return keep({
        id,
        outputs: await this.#provider.update(type, id, inputs, knownOf(old), ignoreChanges, context),
      })
    }
    if (old.protect) throw new Error(`${name} is protected, and ${step.changes.join(', ')} would replace it.`)
    if (options.deleteBeforeReplace) await this.#delete(old)
    const created = await create()
    if (!options.deleteBeforeReplace) this.#leftOver = [old, ...this.#leftOver]
    return created
  }

  async #delete(one: Kept): Promise<void> {
    if (one.protect) throw new Error(`${one.name} is protected, so it cannot be deleted.`)
    await this.#deleteReplaced(one)
  }

  async #deleteReplaced(one: Kept): Promise<void> {
    await this.#provider.delete(one.type, one.id, one.outputs, one.context)
    this.#state = this.#state.filter(other => other !== one)
    this.#leftOver = this.#leftOver.filter(other => other !== one)
  }
}

function secretOf({ secretInputs, options }: GraphResource): ReadonlySet<string> {
  const inputs = secretInputs.map(path => path.split(/[.[]/, 1)[0] ?? '')
  return new Set([...inputs, ...(options.additionalSecretOutputs ?? [])])
}

/** Returns a resource as the engine's `readStackResourceOutputs` does. */
function stateOf({ urn, type, outputs }: Kept): readonly [string, Properties] {
  return [urn, { type, outputs }]
}
