import type { Properties } from '../properties.ts'

/** What a service says of a resource: all that goes into the state. */
export interface Made {
  readonly id: string
  readonly state: Properties
}

/** What a resource is at the service now, as refresh and import see it. */
export type Found = Made & {
  /**
   * The inputs as they would have to be for the program to have made what is there. They go into the state too: without
   * them the next update would be reckoned from, and send, what the program said last (tried with the real engine).
   */
  readonly inputs: Properties
}

/** What the state knows of a resource; nothing while it is being imported. */
export interface Known {
  readonly inputs: Properties
  readonly state: Properties
}

/** One type of resource: the calls that a provider makes for it. */
export interface Resource<Client> {
  /** The inputs whose change makes another resource; `all` of them where nothing can be updated. */
  readonly replaceOn: readonly string[] | 'all'
  /** What nobody knows before the resource is there. */
  readonly computed: readonly string[]
  /** Why these inputs cannot be, by input. */
  check?(inputs: Properties): Readonly<Record<string, string>>
  create(client: Client, inputs: Properties): Promise<Made>
  /** Resolves to undefined when it is gone: the engine then takes it out of the state. */
  read(client: Client, id: string, known: Known): Promise<Found | undefined>
  /** Resolves to the new state. */
  update?(client: Client, id: string, inputs: Properties, known: Known): Promise<Properties>
  delete(client: Client, id: string, state: Properties): Promise<void>
}

/** A provider: its settings, the types it has, and what programs may look up. */
export interface Package<Client> {
  readonly name: string
  /** Why these settings cannot be, by setting; looked at before any call. */
  check(config: Properties): Readonly<Record<string, string>>
  /** Makes a client of the settings and, where they are silent, of the environment. Calls nobody. */
  connect(config: Properties, environment: NodeJS.ProcessEnv): Client
  readonly resources: Readonly<Record<string, Resource<Client>>>
  readonly lookups: Readonly<Record<string, (client: Client, args: Properties) => Promise<Properties>>>
}
