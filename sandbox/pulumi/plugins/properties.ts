import struct from 'google-protobuf/google/protobuf/struct_pb.js'
import { type Fields, type Json, unknownValue } from './json.ts'

/** The engine's properties on the wire. */
export type Struct = InstanceType<typeof struct.Struct>

const signatureKey = '4dabf18193072939515e22adb298388d'
const secretSignature = '1b47061264138c4ac30d75fd1eb44270'

/** Takes secrets out of their marks and leaves out what is not known yet: the service is never asked about either. */
function plain(value: Json): Json | undefined {
  if (value === unknownValue) return undefined
  if (Array.isArray(value)) return value.map(element => plain(element) ?? null)
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Fields
  if (fields[signatureKey] === secretSignature) return plain(fields['value'] ?? null)
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, inner]) => {
      const bare = plain(inner)
      return bare === undefined ? [] : [[key, bare]]
    }),
  )
}

/** Properties as they were sent, with unknown values as the engine marks them. */
export const fromStruct = (sent: Struct | undefined): Fields =>
  sent === undefined ? {} : (sent.toJavaScript() as Fields)

/** Properties without secrets' marks, and without what is not known. */
export const plainFrom = (sent: Struct | undefined): Fields => (plain(fromStruct(sent)) ?? {}) as Fields

export const toStruct = (fields: Fields): Struct =>
  struct.Struct.fromJavaScript({ ...fields } as Parameters<typeof struct.Struct.fromJavaScript>[0])
