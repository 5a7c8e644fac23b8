/** The digits of base32 (RFC 4648) in lower case: routers refuse other characters, or do not escape them in a URL. */
const digits = 'abcdefghijklmnopqrstuvwxyz234567'
const passwordCharacters = 26

/** Creates a password of 26 lower-case letters and digits with 5 random bits each, so more than 128. */
export function createPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(passwordCharacters))
  return Array.from(bytes, byte => digits[byte % digits.length]).join('')
}

/** Returns the SHA-256 of a password as 64 hex digits. A fast hash is enough: nobody can guess 128 random bits. */
export async function hashPassword(password: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(password))
  return Array.from(new Uint8Array(hash), byte => byte.toString(16).padStart(2, '0')).join('')
}
