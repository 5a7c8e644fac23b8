import { constants, type KeyObject, verify } from 'node:crypto'
import { type JsonObject, parseObject } from '../../http/validation.ts'
import { type AssertionCredentials, certificateOf, thumbprintOf } from '../graph/credentials.ts'
import { pathsOf, type Tenant } from '../tenant.ts'
import { type Problem, problems } from './aadsts.ts'
import type { LoginCall } from './call.ts'
import { issuerKeys } from './issuer-keys.ts'

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const toleranceSeconds = 300

/** A parsed JWT, not verified. */
interface Assertion {
  readonly header: JsonObject
  readonly claims: JsonObject
  readonly signed: string
  readonly signature: Buffer
}

function parseAssertion(text: string): Assertion | null {
  const [head = '', payload = '', signature = '', ...rest] = text.split('.')
  if (rest.length > 0 || ![head, payload, signature].every(part => /^[\w-]+$/.test(part))) return null
  const [header, claims] = [head, payload].map(part => parseObject(Buffer.from(part, 'base64url').toString()))
  if (!header || !claims) return null
  return { header, claims, signed: `${head}.${payload}`, signature: Buffer.from(signature, 'base64url') }
}

/** Verifies RS256 and PS256 (RFC 7518 sections 3.3 and 3.5). */
function isSignedBy({ header, signed, signature }: Assertion, key: KeyObject): boolean {
  const content = Buffer.from(signed)
  if (header['alg'] === 'RS256') return verify('sha256', content, key, signature)
  if (header['alg'] !== 'PS256') return false
  const padding = constants.RSA_PKCS1_PSS_PADDING
  return verify('sha256', content, { key, padding, saltLength: 32 }, signature)
}

function isInTime({ exp, nbf }: JsonObject, { clock }: Tenant): boolean {
  const now = clock.now() / 1000
  return (
    typeof exp === 'number' &&
    exp > now - toleranceSeconds &&
    (nbf === undefined || (typeof nbf === 'number' && nbf < now + toleranceSeconds))
  )
}

/** Checks an assertion that the application signed itself, with the key of one of its certificates. */
function refuseOwn(
  assertion: Assertion,
  { keyCredentials }: AssertionCredentials,
  { tenant, form }: LoginCall,
): Problem | null {
  // documented: A client assertion authenticates an application. It is a JWT whose issuer and subject are the client id, signed
  // with PS256 by the key of one of the application's certificates, which x5t#S256 identifies. RS256 and x5t, for older clients,
  // are not here. [Microsoft identity platform, certificate credentials]
  const { header, claims } = assertion
  const certificate = keyCredentials
    .map(certificateOf)
    .find(one => thumbprintOf(one, 'sha256') === header['x5t#S256'])
  if (!certificate || Date.parse(certificate.validTo) <= tenant.clock.now()) return problems.assertionKey
  if (header['alg'] !== 'PS256' || !isSignedBy(assertion, certificate.publicKey)) return problems.assertionKey
  const clientId = form.get('client_id')
  if (claims['iss'] !== clientId || claims['sub'] !== clientId) return problems.assertionClient
  const { instance, tenantId } = tenant
  const audiences = [`${instance.slice(0, -1)}${pathsOf(tenantId).token}`, `${instance}${tenantId}/v2.0`]
  if (!audiences.some(audience => audience === claims['aud'])) return problems.assertionAudience
  if (!isInTime(claims, tenant)) return problems.assertionTime
  // observed: An assertion can be reused until it expires, because its jti is not checked. [the source of MSAL for Node 7.2.1,
  // which repeats its assertions]
  return null
}

/** Checks a token of another issuer that the application trusts. */
async function refuseFederated(
  assertion: Assertion,
  { federatedIdentityCredentials }: AssertionCredentials,
  { tenant }: LoginCall,
): Promise<Problem | null> {
  // documented: A token of another issuer authenticates an application if its issuer, subject and audience match one of the
  // federated credentials, including case. It must be signed with RS256. [Microsoft Entra workload identity federation]
  const { header, claims } = assertion
  const ofIssuer = federatedIdentityCredentials.filter(({ issuer }) => issuer === claims['iss'])
  if (ofIssuer.length === 0) return problems.federatedIssuer
  const ofSubject = ofIssuer.filter(({ subject }) => subject === claims['sub'])
  if (ofSubject.length === 0) return problems.federatedSubject
  const given = [claims['aud']].flat()
  if (!ofSubject.some(({ audiences }) => given.some(audience => audience === audiences[0])))
    return problems.federatedAudience
  const keys = await issuerKeys(String(claims['iss']), header['kid']).catch(() => null)
  if (keys === null) return problems.issuerUnreachable
  if (header['alg'] !== 'RS256' || !keys.some(key => isSignedBy(assertion, key))) return problems.federatedKey
  return isInTime(claims, tenant) ? null : problems.assertionTime
}

/** Checks a client assertion (RFC 7523 section 2.2): the application's own, or a token of an issuer that it trusts. */
export async function refuseAssertion(
  call: LoginCall,
  credentials: AssertionCredentials,
): Promise<Problem | null> {
  const { form } = call
  if (form.has('client_secret')) return problems.severalCredentials
  const assertion = parseAssertion(form.get('client_assertion') ?? '')
  if (!assertion || form.get('client_assertion_type') !== assertionType) return problems.assertionMalformed
  const isFederated = /^https?:/.test(String(assertion.claims['iss']))
  return isFederated ? refuseFederated(assertion, credentials, call) : refuseOwn(assertion, credentials, call)
}
