import type { Properties } from '../properties.ts'
import type { RestRequest } from './rest.ts'

/** A created resource. Its state is everything that the service returns. */
export interface CreatedResource {
  readonly id: string
  readonly state: Properties
}

/** A resource that a refresh or an import found. */
export type FoundResource = CreatedResource & {
  /**
   * The inputs that would have created what exists. Without them, the next update compares with the program's last inputs
   * and sends those (observed with the real engine).
   */
  readonly inputs: Properties
}

/** An invalid input or setting, as in the provider protocol. */
export interface CheckFailure {
  readonly property: string
  readonly reason: string
}

/** A resource in the state. Empty during an import. */
export interface PriorResource {
  readonly inputs: Properties
  readonly state: Properties
}

/** A client of a service. */
export interface RestClient {
  /** Resolves to what the service answers, or {} if that is nothing. */
  call(request: RestRequest): Promise<Properties>
}

/** A type of resource: the calls that its provider makes, and how it compares. Each rule names the provider's source. */
export interface Resource<Client> {
  /** The inputs whose change replaces the resource, or `all` if it cannot be updated. */
  readonly replaceOn: readonly string[] | 'all'
  /**
   * The inputs that the provider removes if a refresh found them and the program does not declare them. Its schema calls
   * them Optional, and not Computed.
   */
  readonly removedUnlessDeclared?: readonly string[]
  /** The outputs that are unknown until the resource exists. */
  readonly computed: readonly string[]
  /** Returns the invalid inputs. */
  check?(inputs: Properties): readonly CheckFailure[]
  create(client: Client, inputs: Properties): Promise<CreatedResource>
  /** Returns the path by which a resource is read and deleted. */
  path(id: string, state: Properties, client: Client): string
  /**
   * Reads what the service answers at the path. Null if the resource is gone, as it is without an answer; the engine then removes
   * it from the state.
   */
  read(
    served: Properties,
    id: string,
    known: PriorResource,
    client: Client,
  ): FoundResource | null | Promise<FoundResource | null>
  /**
   * Whether an update that fails leaves its new inputs in the state, as it does in a provider of Terraform's SDK, version 2.
   * A refresh can correct only what the service shows.
   */
  readonly keepsFailedUpdate?: true
  /** What its provider warns of when it plans to create one, in a preview and in a run. */
  readonly creationWarning?: string
  /** Resolves to the new state. */
  update?(client: Client, id: string, inputs: Properties, known: PriorResource): Promise<Properties>
  /**
   * Default: DELETE of the path. Its error is that of the deletion, also for a resource that is gone (resource.go of every resource of
   * cloudflare 5.22; those of github 6.13.0). observed: `404 Not Found {1003 Token not found}`, at every run. [cloudflare 6.22.1,
   * run against an emulator]
   */
  delete?(client: Client, id: string, state: Properties): Promise<void>
}

/** A provider: its settings, resources and functions. */
export interface Package<Client extends RestClient> {
  readonly name: string
  /** Returns the invalid settings. */
  check?(config: Properties): readonly CheckFailure[]
  /** Creates a client from the settings. The environment replaces missing ones. Sends nothing. */
  connect(config: Properties, environment: NodeJS.ProcessEnv): Client
  readonly resources: Readonly<Record<string, Resource<Client>>>
  readonly lookups: Readonly<Record<string, (client: Client, args: Properties) => Promise<Properties>>>
}
