import type { Properties } from '../properties.ts'

/** A created resource. The state is everything that the service reports. */
export interface Made {
  readonly id: string
  readonly state: Properties
}

/** A resource as refresh and import find it at the service. */
export type Found = Made & {
  /**
   * The inputs that would have created what exists. Without them the next update compares with, and sends, the program's
   * last inputs (seen with the real engine).
   */
  readonly inputs: Properties
}

/** A resource as the state has it; empty during an import. */
export interface Known {
  readonly inputs: Properties
  readonly state: Properties
}

/** A type of resource: the calls that its provider makes, and how it compares. Each rule names the provider's source. */
export interface Resource<Client> {
  /** Inputs whose change replaces the resource; `all` if it cannot be updated. */
  readonly replaceOn: readonly string[] | 'all'
  /**
   * Inputs that the provider removes if the program does not declare them and the state has them, as a refresh found
   * them: those that its schema calls Optional and not Computed.
   */
  readonly removedUnlessDeclared?: readonly string[]
  /** Outputs that are unknown until the resource exists. */
  readonly computed: readonly string[]
  /** Returns what is wrong with the inputs, by input. */
  check?(inputs: Properties): Readonly<Record<string, string>>
  create(client: Client, inputs: Properties): Promise<Made>
  /** Resolves to undefined if the resource is gone. The engine then removes it from the state. */
  read(client: Client, id: string, known: Known): Promise<Found | undefined>
  /** Resolves to the new state. */
  update?(client: Client, id: string, inputs: Properties, known: Known): Promise<Properties>
  delete(client: Client, id: string, state: Properties): Promise<void>
}

/** A provider: its settings, resources and functions. */
export interface Package<Client> {
  readonly name: string
  /** Returns what is wrong with the settings, by setting, before any call. */
  check(config: Properties): Readonly<Record<string, string>>
  /** Creates a client from the settings, and from the environment where they are missing. Makes no call. */
  connect(config: Properties, environment: NodeJS.ProcessEnv): Client
  readonly resources: Readonly<Record<string, Resource<Client>>>
  readonly lookups: Readonly<Record<string, (client: Client, args: Properties) => Promise<Properties>>>
}
