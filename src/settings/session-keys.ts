import { decodeBase64url, randomText } from './base64url.ts'

/** A session key as configured: its name, which stands in front of everything it seals, and its 32 bytes. */
export interface SessionKey {
  readonly kid: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const keyBytes = 32

/** Reads `kid:base64url of 32 bytes`, comma separated. The problems name keys by position and name, never by content. */
export function parseKeys(text: string): {
  readonly keys: readonly SessionKey[]
  readonly problems: readonly string[]
} {
  if (text === '') return { keys: [], problems: ['is missing. Make a key with `npm run keys -- new`.'] }
  const keys: SessionKey[] = []
  const problems: string[] = []
  for (const [index, part] of text.split(',').entries()) {
    const [kid = '', encoded = '', ...rest] = part.trim().split(':')
    const bytes = decodeBase64url(encoded)
    const which = `key ${index + 1}`
    if (!/^[A-Za-z0-9_-]{1,16}$/.test(kid) || rest.length > 0 || encoded === '') {
      problems.push(`${which} is not of the form name:key, with a name of at most 16 letters and digits.`)
    } else if (!bytes) {
      problems.push(`${which} (${kid}) is not base64url. Make one with \`npm run keys -- new\`.`)
    } else if (bytes.length !== keyBytes) {
      problems.push(
        `${which} (${kid}) has ${bytes.length} bytes where ${keyBytes} are needed. Make one with \`npm run keys -- new\`.`,
      )
    } else if (new Set(bytes).size < 8) {
      problems.push(`${which} (${kid}) is not random. Make one with \`npm run keys -- new\`.`)
    } else if (keys.some(key => key.kid === kid)) {
      problems.push(`${which} repeats the name ${kid}. Give every key its own.`)
    } else {
      keys.push({ kid, bytes })
    }
  }
  return { keys, problems }
}

/** A new key in the form SESSION_KEYS takes, named after the day it was made. */
export function makeKey(now: Date): string {
  const stamp = now.toISOString().slice(0, 10).replaceAll('-', '')
  return `k${stamp}-${randomText(3).replaceAll(/[-_]/g, 'x')}:${randomText(keyBytes)}`
}
