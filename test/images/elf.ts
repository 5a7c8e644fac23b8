/** What a loader reads of a program or a library: the machine, and the libraries that it needs. */
export interface Elf {
  readonly machine: 'amd64' | 'arm64' | 'other'
  readonly needed: readonly string[]
}

const machines = new Map<number, Elf['machine']>([
  [62, 'amd64'],
  [183, 'arm64'],
])
const [loadSegment, dynamicSegment] = [1, 2]
const [neededTag, stringTableTag] = [1, 5]

/** Reads a 64-bit little-endian ELF file (elf(5)). Returns null for any other file. */
export function readElf(file: Buffer): Elf | null {
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46) return null
  const number = (offset: number) => Number(file.readBigUInt64LE(offset))
  const [start, size, count] = [number(32), file.readUInt16LE(54), file.readUInt16LE(56)]
  const segments = Array.from({ length: count }, (_, index) => {
    const at = start + index * size
    return {
      type: file.readUInt32LE(at),
      offset: number(at + 8),
      address: number(at + 16),
      size: number(at + 32),
    }
  })
  const machine = machines.get(file.readUInt16LE(18)) ?? 'other'
  const dynamic = segments.find(({ type }) => type === dynamicSegment)
  if (dynamic === undefined) return { machine, needed: [] }
  const entries = Array.from({ length: dynamic.size / 16 }, (_, index) => {
    const at = dynamic.offset + index * 16
    return { tag: number(at), value: number(at + 8) }
  })
  const table = entries.find(({ tag }) => tag === stringTableTag)?.value ?? 0
  const holder = segments.find(
    ({ type, address, size: length }) => type === loadSegment && table >= address && table < address + length,
  )
  const strings = table - (holder?.address ?? 0) + (holder?.offset ?? 0)
  const needed = entries
    .filter(({ tag }) => tag === neededTag)
    .map(({ value }) => file.toString('latin1', strings + value, file.indexOf(0, strings + value)))
  return { machine, needed }
}
