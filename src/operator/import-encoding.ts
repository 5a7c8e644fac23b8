import type { ImportReading } from './import-file.ts'

export const encodings = ['utf-8', 'windows-1252'] as const
export type Encoding = (typeof encodings)[number]

/** Decodes a file without replacing a byte: a replaced letter would rename an employee. A byte order mark is dropped. */
export function decodeFile(bytes: Uint8Array, encoding: Encoding): ImportReading<string> {
  // UTF-16 has a mark, and a zero byte in each ASCII letter.
  if (bytes.includes(0) || /^(fffe|feff)/.test(Buffer.from(bytes.subarray(0, 2)).toString('hex'))) {
    return {
      problems: ['line 1: the file is UTF-16, or not text. Save it as UTF-8 ("CSV UTF-8" in a spreadsheet).'],
    }
  }
  const line = firstBrokenLine(bytes)
  if (encoding === 'utf-8' && line !== null) {
    const fix = 'Save the file as UTF-8, or add --encoding windows-1252 if a spreadsheet on Windows saved it.'
    return { problems: [`line ${line}: is not UTF-8. ${fix}`] }
  }
  // In Windows-1252, only odd pairs such as Ã© are UTF-8 as well: they are UTF-8 that was decoded once too often.
  if (encoding !== 'utf-8' && line === null && bytes.some(byte => byte > 0x7f)) {
    return { problems: ['line 1: the file is UTF-8. Leave out --encoding.'] }
  }
  return { value: encoding === 'utf-8' ? new TextDecoder().decode(bytes) : fromWindows1252(bytes) }
}

/** The characters of bytes 0x80 to 0x9F in Windows-1252, which leaves five of them undefined (WHATWG Encoding). */
const upper = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/** Decodes Windows-1252, which TextDecoder of Node 22.21 and 24.5 reads as Latin-1: no š, ž or œ. */
function fromWindows1252(bytes: Uint8Array): string {
  const latin1 = Buffer.from(bytes).toString('latin1')
  return latin1.replace(/[\x80-\x9f]/g, character => upper.charAt(character.charCodeAt(0) - 0x80))
}

/** Returns the number of the first line that is not UTF-8, in which no other character contains the byte of a line end. */
function firstBrokenLine(bytes: Uint8Array): number | null {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const found = bytes.indexOf(0x0a, start)
    const end = found < 0 ? bytes.length : found + 1
    try {
      decoder.decode(bytes.subarray(start, end))
    } catch {
      return line
    }
    start = end
  }
  return null
}
