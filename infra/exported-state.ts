import { CommandError } from '../lib/command.ts'
import { fieldOf, textOf } from './json.ts'
import { isNamed, isOfClock, isOfPush, nameInUrn } from './resource-names.ts'
import { askPulumi, parseObject } from './run-program.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * A resource as the state has it. A secret value is an object with its ciphertext, which no comparison may print: see
 * `isSecret`.
 */
export interface StateResource {
  readonly urn: string
  /** Such as `cloudflare:index/dnsRecord:DnsRecord`. */
  readonly type: string
  /** Name in the program, such as `dns-record`. */
  readonly name: string
  /** Null for a component, and for a resource that a run was creating. */
  readonly id: string | null
  /** What the last run declared. */
  readonly inputs: Fields
  readonly outputs: Fields
  readonly protect: boolean
  /** Replaced by another one. The next run deletes it. */
  readonly toDelete: boolean
}

export interface StackState {
  readonly resources: readonly StateResource[]
  /**
   * What a run was doing when it was killed, or is doing now, such as `creating`. The engine keeps creations until `pulumi refresh
   * --clear-pending-creates`, and drops the others at the next run.
   */
  readonly pending: readonly { readonly kind: string; readonly resource: StateResource }[]
}

/** Version 4 is written as soon as a resource has a hook (seen with 3.259.0). */
const versions: readonly unknown[] = [3, 4]

/**
 * Reads the state of a stack, or of the selected one. This takes neither the passphrase nor a lock, and secrets stay encrypted.
 * @throws CommandError if the CLI fails, or prints something else; the message quotes nothing
 */
export async function readState(stack?: string): Promise<StackState> {
  const chosen = stack === undefined ? [] : ['--stack', stack]
  return parseState(await askPulumi(['stack', 'export', ...chosen]))
}

/** Parses what `pulumi stack export` prints. @throws CommandError */
export function parseState(text: string): StackState {
  const exported = parseObject(text)
  if (!versions.includes(exported['version'])) throw refuse('has another version than 3 or 4')
  const deployment = exported['deployment']
  if (typeof deployment !== 'object' || deployment === null) throw refuse('has no deployment')
  const pending = listIn(deployment, 'pending_operations').map(one => ({
    kind: textOf(one, 'type') ?? '',
    resource: readResource(fieldOf(one, 'resource')),
  }))
  return { resources: listIn(deployment, 'resources').map(readResource), pending }
}

function refuse(problem: string): CommandError {
  return new CommandError(`The state of the stack ${problem}. Check the version of the CLI: pulumi version.`)
}

function listIn(deployment: object, name: string): readonly unknown[] {
  const list: unknown = Reflect.get(deployment, name) ?? []
  if (!Array.isArray(list)) throw refuse(`has something other than a list in ${name}`)
  return list
}

function readResource(value: unknown): StateResource {
  const [urn, type] = [textOf(value, 'urn'), textOf(value, 'type')]
  const name = nameInUrn(urn ?? '')
  if (urn === null || type === null || name === '') throw refuse('has a resource without a URN or a type')
  return {
    urn,
    type,
    name,
    id: textOf(value, 'id') || null,
    inputs: { ...Object(fieldOf(value, 'inputs')) },
    outputs: { ...Object(fieldOf(value, 'outputs')) },
    protect: fieldOf(value, 'protect') === true,
    toDelete: fieldOf(value, 'delete') === true,
  }
}

/** Marks an encrypted value in the state, an asset, and so on. The engine's own constant. */
const signatureKey = '4dabf18193072939515e22adb298388d'

/** Whether a value is encrypted, or another object of the engine. Never compare or print one. */
export function isSecret(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, signatureKey)
}

/** Returns the resources of a type, in the order of the state. The program only reads none. Replaced ones come with `toDelete`. */
export function ofType({ resources }: StackState, ...wanted: readonly string[]): readonly StateResource[] {
  return resources.filter(({ type, id }) => wanted.includes(type) && id !== null)
}

/** Returns the resources of a type that the next run does not delete. */
export function presentIn(state: StackState, ...wanted: readonly string[]): readonly StateResource[] {
  return ofType(state, ...wanted).filter(({ toDelete }) => !toDelete)
}

/**
 * Returns the resource of a type that the next run does not delete; null if there is none.
 * @param name in the program, if there are several. Without it, those of the push endpoint and the clock are left out
 */
export function findIn(
  state: StackState,
  wanted: string | readonly string[],
  name?: string,
): StateResource | null {
  const isWanted = (own: string) =>
    name === undefined ? !isOfPush(own) && !isOfClock(own) : isNamed(own, name)
  return presentIn(state, ...[wanted].flat()).find(one => isWanted(one.name)) ?? null
}
