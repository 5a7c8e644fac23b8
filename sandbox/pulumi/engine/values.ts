import struct from 'google-protobuf/google/protobuf/struct_pb.js'
import { asObject, type Json, type JsonObject, type Marked, unknownValue } from './graph.ts'

// How the SDK tells special values from plain ones on the wire: sdk/nodejs/runtime/rpc.ts.
const signatureKey = '4dabf18193072939515e22adb298388d'
const secretSignature = '1b47061264138c4ac30d75fd1eb44270'
const outputSignature = 'd0e6a833031e9bbcd3f4e8bde6ca49a4'
const resourceSignature = '5cf8f73096256a8f31e491e813e4eb8e'
const unknownOnTheWire = '04da6b54-80e4-46f7-96ec-b56ff0331ba9'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads a property as the SDK sends it. @throws TypeError on a value of a kind that no program here sends */
export function decode(sent: unknown): Marked {
  const secretPaths: string[] = []
  const visit = (value: unknown, path: string): Json => {
    if (value === unknownOnTheWire) return unknownValue
    if (value === null || ['boolean', 'number', 'string'].includes(typeof value)) return value as Json
    if (Array.isArray(value)) return value.map((element, index) => visit(element, `${path}[${index}]`))
    if (!isObject(value)) throw new TypeError(`A value of the type ${typeof value} came at ${path}.`)
    const signature = value[signatureKey]
    if (signature === undefined) {
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [
          key,
          visit(inner, path === '' ? key : `${path}.${key}`),
        ]),
      )
    }
    if (signature === resourceSignature) return String(value['urn'])
    if (signature !== secretSignature && signature !== outputSignature) {
      throw new TypeError(
        `A special value (${String(signature)}) came at ${path}, which this engine does not know.`,
      )
    }
    if (signature === secretSignature || value['secret'] === true) secretPaths.push(path)
    return 'value' in value ? visit(value['value'], path) : unknownValue
  }
  return { value: visit(sent, ''), secretPaths }
}

/** Reads an object of properties, such as a resource's inputs. */
export function decodeObject(sent: struct.Struct | undefined): Marked<JsonObject> {
  const { value, secretPaths } = decode(sent?.toJavaScript() ?? {})
  return { value: asObject(value), secretPaths }
}

/** Writes properties as the SDK reads them, those of the given names as secrets. */
export const encodeObject = (
  properties: JsonObject,
  secret: ReadonlySet<string> = new Set(),
): struct.Struct =>
  struct.Struct.fromJavaScript(
    Object.fromEntries(
      Object.entries(properties).map(([key, value]) => [
        key,
        secret.has(key) ? { [signatureKey]: secretSignature, value: toWire(value) } : toWire(value),
      ]),
    ) as Parameters<typeof struct.Struct.fromJavaScript>[0],
  )

function toWire(value: Json): Json {
  if (value === unknownValue) return unknownOnTheWire
  if (Array.isArray(value)) return value.map(toWire)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toWire(inner as Json)]))
}
