/** Encodes bytes as base64url without padding (RFC 4648 §5). */
export function encodeBase64url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/**
 * Decodes base64url. Returns null for text that is not the canonical encoding of its bytes: decoders ignore the unused
 * bits of the last character, so several strings would decode to the same bytes.
 */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | null {
  const tailLength = text.length % 4
  if (!/^[\w-]*$/.test(text) || tailLength === 1) return null
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index)
  // Only the last group can be ambiguous, so only that one is encoded again.
  const tail = bytes.subarray(bytes.length - (bytes.length % 3))
  return encodeBase64url(tail) === text.slice(text.length - tailLength) ? bytes : null
}

/** Encodes bytes as hex digits. */
export function encodeHex(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
