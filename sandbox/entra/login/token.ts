import { createHash } from 'node:crypto'
import type { HttpAnswer } from '../../http/delivery.ts'
import { jsonAnswer } from '../answer.ts'
import { profileScope } from '../tenant.ts'
import { type Problem, problems } from './aadsts.ts'
import type { LoginCall } from './call.ts'
import { refuseClient } from './client.ts'
import { jsonFailure, noStore } from './failures.ts'

const accessTokenSeconds = 3600
/** The characters and lengths of RFC 7636 section 4.1. */
const verifierRule = /^[\w.~-]{43,128}$/
const required = ['grant_type', 'client_id', 'code', 'redirect_uri']

/** Checks the form of a token request. */
function refuseTokenRequest({ headers, form }: LoginCall): Problem | null {
  if (headers['origin'] !== undefined) return problems.crossOrigin
  if (new Set(form.keys()).size < form.size) return problems.malformedRequest
  if (!required.every(name => form.get(name))) return problems.missingParameter
  if (form.get('grant_type') !== 'authorization_code') return problems.grantType
  // documented: scope is optional. A scope that the application cannot have is refused with invalid_scope and code 70011.
  // [Microsoft identity platform, OAuth 2.0 authorization code flow]
  return (form.get('scope') ?? profileScope) === profileScope ? null : problems.unknownScope
}

/** Redeems a code. A request that is refused does not use it up. */
function redeem({ form, tenant }: LoginCall): { readonly userId: string } | { readonly problem: Problem } {
  const found = tenant.signIns.codes.find(form.get('code') ?? '')
  if (found === null || found.value.clientId !== form.get('client_id'))
    return { problem: problems.grantInvalid }
  const { value: code, isOver } = found
  if (code.isRedeemed) return { problem: problems.codeRedeemed }
  if (isOver) return { problem: problems.codeExpired }
  if (code.redirectUri !== form.get('redirect_uri')) return { problem: problems.redirectMismatch }
  const verifier = form.get('code_verifier') ?? ''
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  if (!verifierRule.test(verifier) || challenge !== code.challenge)
    return { problem: problems.verifierMismatch }
  if (tenant.users.byId(code.userId) === null) return { problem: problems.userUnknown }
  code.isRedeemed = true
  return { userId: code.userId }
}

/** Returns a successful answer of the token endpoint. */
export const tokenAnswer = (body: object): HttpAnswer =>
  jsonAnswer(
    200,
    {
      token_type: 'Bearer',
      expires_in: accessTokenSeconds - 1,
      ext_expires_in: accessTokenSeconds - 1,
      ...body,
    },
    noStore,
  )

/** Answers a token request with a code. */
export async function grantAnswer(call: LoginCall): Promise<HttpAnswer> {
  const refusal = refuseTokenRequest(call) ?? (await refuseClient(call))
  if (refusal) return jsonFailure(call, refusal)
  const redeemed = redeem(call)
  if ('problem' in redeemed) return jsonFailure(call, redeemed.problem)
  const token = call.tenant.signIns.tokens.add(redeemed.userId)
  return tokenAnswer({ scope: profileScope, access_token: token })
}
