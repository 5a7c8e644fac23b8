/** Every path that the handler serves, below BASE_PATH, apart from the redirect URI, which an operator chooses. */
export const routes = {
  loginUrl: '/api/auth/login-url',
  callback: '/api/auth/callback',
  session: '/api/session',
  authSession: '/api/auth/session',
  forward: '/api/auth/forward',
  logout: '/api/auth/logout',
  logoutAll: '/api/auth/logout-all',
  health: '/healthz',
  openapi: '/openapi.json',
  publicKeys: '/.well-known/jwks.json',
  signIn: '/',
  dashboard: '/dashboard',
} as const
