import type { LoginCall } from './call.ts'

type Name = 'entra_session' | 'entra_interaction'

/** Returns a cookie of a request, or an empty text. */
export function cookieOf({ headers }: LoginCall, name: Name): string {
  const pairs = (headers['cookie'] ?? '').split('; ').map(pair => pair.split('='))
  return pairs.find(([its]) => its === name)?.[1] ?? ''
}

/** Returns a Set-Cookie header. Without a value, it deletes the cookie. */
export const setCookie = ({ secure }: LoginCall, name: Name, value: string, path = '/') => ({
  'set-cookie': `${name}=${value}; Path=${path}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}${value === '' ? '; Max-Age=0' : ''}`,
})
