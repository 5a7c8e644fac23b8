import type { FullReading } from '../../lib/reading.ts'
import { refuse } from '../../lib/settings/readers.ts'
import { routes } from '../routes.ts'

/** Longest base path, in characters, so that the redirect URI below it has room for a host. */
const maxLength = 64

/**
 * Reads the path that all of the handler's own paths lie below, such as `/_homeport`; blank for the whole host. Proxies
 * and routers read its characters alike, so that no spelling leads past it.
 */
export function readBasePath(text: string): FullReading<string> {
  if (text === '') return { value: '' }
  const segments = text.slice(1).split('/')
  const plain = segments.every(segment => /^[\w~.-]*[\w~-][\w~.-]*$/.test(segment))
  if (!text.startsWith('/') || !plain || text.length > maxLength)
    return refuse(
      `is not a path such as /_homeport: at most ${maxLength} letters, digits, ., -, _ and ~, without a final slash or a segment of dots.`,
    )
  // Without a base path, these are the handler's own.
  const taken: readonly string[] = ['/api', ...Object.values(routes)]
  return taken.includes(text)
    ? refuse('is a path of the handler itself. Use another one, such as /_homeport.')
    : { value: text }
}
