import { created, failed, type GitHubAnswer, noContent, notFound, ok } from './answer.ts'
import type { Place, Valued } from './repository.ts'

/** A request for secrets or variables. */
export interface PlaceCall {
  readonly place: Place
  readonly method: string
  /** The segment after `secrets` or `variables`: a name, `public-key`, or undefined. */
  readonly name: string | undefined
  readonly sent: Readonly<Record<string, unknown>>
  /** RFC 3339 */
  readonly now: string
}

/** Letters, digits and underscores; no digit first and no GITHUB_ prefix (documented). */
const nameRule = /^(?!GITHUB_)[A-Z_][A-Z0-9_]*$/

const secretView = ({ name, createdAt, updatedAt }: Valued) => ({
  name,
  created_at: createdAt,
  updated_at: updatedAt,
})
const variableView = (variable: Valued) => ({ ...secretView(variable), value: variable.value })

function put(values: Map<string, Valued>, name: string, value: string, now: string): boolean {
  const before = values.get(name)
  values.set(name, { name, value, createdAt: before?.createdAt ?? now, updatedAt: now })
  return before === undefined
}

function putSecret({ place, sent, now }: PlaceCall, name: string): GitHubAnswer {
  if (!nameRule.test(name))
    return failed(422, 'Secret names can only contain alphanumeric characters or underscores.')
  const { encrypted_value: box, key_id: keyId } = sent
  if (typeof box !== 'string' || keyId !== place.keyId) {
    return failed(422, 'encrypted_value and the key_id of the public key in use are required.')
  }
  const value = place.open(box)
  if (value === undefined) return failed(422, 'encrypted_value is not sealed for the public key in use.')
  return put(place.secrets, name, value, now) ? created() : noContent
}

/** Answers …/secrets. Values are decrypted, as Actions would do, but never returned. */
export function secretsAnswer(call: PlaceCall): GitHubAnswer {
  const { place, method } = call
  if (method === 'GET' && call.name === undefined) {
    const secrets = [...place.secrets.values()].map(secretView)
    return ok({ total_count: secrets.length, secrets })
  }
  if (method === 'GET' && call.name === 'public-key') return ok({ key_id: place.keyId, key: place.publicKey })
  const name = (call.name ?? '').toUpperCase()
  if (method === 'PUT') return putSecret(call, name)
  const secret = place.secrets.get(name)
  if (secret === undefined) return notFound
  if (method === 'GET') return ok(secretView(secret))
  if (method !== 'DELETE') return notFound
  place.secrets.delete(name)
  return noContent
}

function createVariable({ place, sent, now }: PlaceCall): GitHubAnswer {
  const name = String(sent['name'] ?? '').toUpperCase()
  const { value } = sent
  if (!nameRule.test(name) || typeof value !== 'string')
    return failed(422, 'Validation Failed: name and value are required.')
  if (place.variables.has(name)) return failed(409, 'Already exists - Variable already exists')
  put(place.variables, name, value, now)
  return created()
}

/** Answers …/variables. */
export function variablesAnswer(call: PlaceCall): GitHubAnswer {
  const { place, method, sent, now } = call
  if (call.name === undefined) {
    if (method === 'POST') return createVariable(call)
    const variables = [...place.variables.values()].map(variableView)
    return method === 'GET' ? ok({ total_count: variables.length, variables }) : notFound
  }
  const name = call.name.toUpperCase()
  const variable = place.variables.get(name)
  if (variable === undefined) return notFound
  if (method === 'GET') return ok(variableView(variable))
  if (method === 'DELETE') place.variables.delete(name)
  else if (method === 'PATCH' && typeof sent['value'] === 'string')
    put(place.variables, name, sent['value'], now)
  else return failed(422, 'Validation Failed: value is required.')
  return noContent
}
