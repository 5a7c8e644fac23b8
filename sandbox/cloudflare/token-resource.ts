import type { Outcome } from './envelope.ts'
import type { Call, Route } from './route.ts'

const verify = ({ token, cite }: Call): Outcome => {
  cite('tokens.verify')
  return {
    ok: true,
    result: {
      id: token.id,
      status: token.status,
      ...(token.expiresOn === undefined ? {} : { expires_on: token.expiresOn }),
      ...(token.notBefore === undefined ? {} : { not_before: token.notBefore }),
    },
    messages: [{ code: 10000, message: 'This API Token is valid and active', type: null }],
  }
}

export const tokenRoutes: readonly Route[] = [
  { method: 'GET', pattern: '/user/tokens/verify', on: 'self', handle: verify },
]
