import type { SvcParam } from './zone-view.ts'

/** @throws RangeError if the number does not fit */
export function uint(number: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.writeUIntBE(number, 0, length)
  return bytes
}

function nameBytes(name: string): Buffer {
  const labels = name === '.' ? [] : name.split('.')
  const parts = labels.map(label => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...parts, Buffer.from([0])])
}

/** The data of types that end in hexadecimal: numbers with their length in bytes, and the name of the end. */
export const hexadecimalTypes = {
  // RFC 4034 section 5.1
  DS: { numbers: { key_tag: 2, algorithm: 1, digest_type: 1 }, end: 'digest' },
  // RFC 4255 section 3.1
  SSHFP: { numbers: { algorithm: 1, type: 1 }, end: 'fingerprint' },
  // RFC 6698 section 2.1
  TLSA: { numbers: { usage: 1, selector: 1, matching_type: 1 }, end: 'certificate' },
} as const

/** Encodes the data of an HTTPS record (RFC 9460 section 2.2). */
export const httpsData = (priority: number, target: string, params: readonly SvcParam[]): Buffer =>
  Buffer.concat([
    uint(priority, 2),
    nameBytes(target),
    ...params.flatMap(({ key, value }) => [uint(key, 2), uint(value.length, 2), value]),
  ])
