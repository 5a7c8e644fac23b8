import type { Read } from './config-values.ts'

const keyBytes = 32
/** Fewer different bytes than this never come out of a generator of random ones. */
const leastDistinctBytes = 8
const making = 'Make one with `npm run -s keys -- new | pulumi config set --secret sessionKeys`.'

/**
 * Checks session keys (`name:base64url of 32 bytes`, comma separated) before they reach a Worker, which could only
 * answer every request with an error. Gives the names of the keys; what it says never holds one.
 */
export function readSessionKeys(text: string): Read<readonly string[]> {
  if (text === '') return { problem: `is missing. ${making}` }
  const names: string[] = []
  for (const [index, part] of text.split(',').entries()) {
    const [name = '', encoded = '', ...rest] = part.split(':')
    const which = `has a key ${index + 1}`
    if (!/^[A-Za-z0-9_-]{1,16}$/.test(name) || rest.length > 0) {
      return { problem: `${which} that is not of the form name:key. ${making}` }
    }
    const bytes = Buffer.from(encoded, 'base64url')
    if (bytes.length !== keyBytes || bytes.toString('base64url') !== encoded) {
      return { problem: `${which} that is not ${keyBytes} bytes in base64url. ${making}` }
    }
    // The handler refuses such a key too, but only once it is deployed.
    if (new Set(bytes).size < leastDistinctBytes) return { problem: `${which} that is not random. ${making}` }
    if (names.includes(name)) return { problem: `${which} with a name that stands there already. ${making}` }
    names.push(name)
  }
  return { value: names }
}
