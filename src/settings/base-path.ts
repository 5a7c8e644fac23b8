import { routes } from '../routes.ts'
import { refuse, type SettingReading } from './problems.ts'

/** Longest base path, in characters, so that the redirect URI below it has room for a host. */
const maxLength = 64

/**
 * Reads the path that all of the handler's own paths lie below, such as `/_homeport`; blank for the whole host. Proxies
 * and routers read its characters alike, so that no spelling leads past it.
 */
export function readBasePath(text: string): SettingReading<string> {
  if (text === '') return { value: '' }
  const segments = text.slice(1).split('/')
  const plain = segments.every(segment => /^[\w~.-]*[\w~-][\w~.-]*$/.test(segment))
  if (!text.startsWith('/') || !plain || text.length > maxLength)
    return refuse('not-a-base-path', { expected: String(maxLength) })
  // Without a base path, these are the handler's own.
  const taken: readonly string[] = ['/api', ...Object.values(routes)]
  return taken.includes(text) ? refuse('base-path-taken') : { value: text }
}
