import struct from 'google-protobuf/google/protobuf/struct_pb.js'
import { asProperties, type Json, type Properties } from './properties.ts'

/** Properties in messages between the engine, programs and plugins. */
type Struct = InstanceType<typeof struct.Struct>

// The marks of special values (sdk/nodejs/runtime/rpc.ts). Copied because that module takes as long to load as the rest of
// a plugin.
const signatureKey = '4dabf18193072939515e22adb298388d'
const secretSignature = '1b47061264138c4ac30d75fd1eb44270'
const outputSignature = 'd0e6a833031e9bbcd3f4e8bde6ca49a4'
const resourceSignature = '5cf8f73096256a8f31e491e813e4eb8e'

/** Replaces a value that is unknown until the resource exists. */
export const unknownValue = '04da6b54-80e4-46f7-96ec-b56ff0331ba9'

/** A value without its secret marks, and the paths of the marked values. */
export interface Marked<T extends Json> {
  readonly value: T
  /** Such as `bindings[3].text`. The empty path is the value itself. */
  readonly secretPaths: readonly string[]
}

/**
 * Reads properties from the SDK, such as the inputs of a resource.
 * @throws TypeError for an asset, an archive or anything else that no program here sends
 */
export function decodeProperties(sent: Struct | undefined): Marked<Properties> {
  const secretPaths: string[] = []
  function visit(value: unknown, path: string): Json {
    if (value === null || ['boolean', 'number', 'string'].includes(typeof value)) return value as Json
    if (Array.isArray(value)) return value.map((element, index) => visit(element, `${path}[${index}]`))
    if (typeof value !== 'object') throw new TypeError(`Cannot read a ${typeof value} at ${path}.`)
    const fields = value as Readonly<Record<string, unknown>>
    const signature = fields[signatureKey]
    if (signature === undefined) {
      const prefix = path === '' ? '' : `${path}.`
      return Object.fromEntries(
        Object.entries(fields).map(([key, inner]) => [key, visit(inner, `${prefix}${key}`)]),
      )
    }
    if (signature === resourceSignature) return String(fields['urn'])
    if (signature !== secretSignature && signature !== outputSignature) {
      throw new TypeError(`Cannot read the special value ${String(signature)} at ${path}.`)
    }
    if (signature === secretSignature || fields['secret'] === true) secretPaths.push(path)
    return 'value' in fields ? visit(fields['value'], path) : unknownValue
  }
  return { value: asProperties(visit(sent?.toJavaScript() ?? {}, '')), secretPaths }
}

/** Reads properties without unknown values, which are never sent to a service. */
export function decodeKnown(sent: Struct | undefined): Properties {
  return asProperties(withoutUnknown(decodeProperties(sent).value))
}

function withoutUnknown(value: Json): Json | undefined {
  if (value === unknownValue) return undefined
  if (Array.isArray(value)) return value.map(element => withoutUnknown(element) ?? null)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const known = withoutUnknown(inner)
      return known === undefined ? [] : [[key, known]]
    }),
  )
}

/** Writes properties, and marks those with the given names as secret. */
export function encode(properties: Properties, secret: ReadonlySet<string> = new Set()): Struct {
  const marked = Object.entries(properties).map(([key, value]) => [
    key,
    secret.has(key) ? { [signatureKey]: secretSignature, value } : value,
  ])
  return struct.Struct.fromJavaScript(Object.fromEntries(marked))
}
