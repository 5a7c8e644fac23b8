/** Bytes as base64url without padding (RFC 4648 §5). */
export function encodeBase64url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/**
 * The bytes of a base64url text, or null when it is not the one text that encodes them: decoders ignore the unused bits
 * of the last character, so that several texts would open as one.
 */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | null {
  const over = text.length % 4
  if (!/^[\w-]*$/.test(text) || over === 1) return null
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index)
  // Only the last group can be ambiguous, so only that one is encoded again.
  const tail = bytes.subarray(bytes.length - (bytes.length % 3))
  return encodeBase64url(tail) === text.slice(text.length - over) ? bytes : null
}

/** A random text of so many bytes, from the runtime's cryptographic source. */
export function randomText(bytes: number): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(bytes)))
}
