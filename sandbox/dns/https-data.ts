import type { SvcParam } from './zone-view.ts'

function uint16(number: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(number)
  return bytes
}

function nameBytes(name: string): Buffer {
  const labels = name === '.' ? [] : name.split('.')
  const parts = labels.map(label => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...parts, Buffer.from([0])])
}

/** Encodes the data of an HTTPS record (RFC 9460 section 2.2). */
export const httpsData = (priority: number, target: string, params: readonly SvcParam[]): Buffer =>
  Buffer.concat([
    uint16(priority),
    nameBytes(target),
    ...params.flatMap(({ key, value }) => [uint16(key), uint16(value.length), value]),
  ])
