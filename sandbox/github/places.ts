import { created, failed, type GitHubAnswer, noContent, notFound, ok } from './answer.ts'
import type { GitHubCall } from './call.ts'
import { type Place, put, type StoredValue } from './repository.ts'

/** A request for secrets or variables. */
interface PlaceCall extends Pick<GitHubCall, 'method' | 'sent' | 'now'> {
  readonly place: Place
  /** The segment after `secrets` or `variables`: a name, `public-key`, or undefined. */
  readonly name: string | undefined
}

/** Letters, digits and underscores. The first is not a digit, and GITHUB_ is reserved (GitHub REST, Actions secrets). */
const nameRule = /^(?!GITHUB_)[A-Z_][A-Z0-9_]*$/

const secretView = ({ name, createdAt, updatedAt }: StoredValue) => ({
  name,
  created_at: createdAt,
  updated_at: updatedAt,
})
const variableView = (variable: StoredValue) => ({ ...secretView(variable), value: variable.value })

function putSecret({ place, sent, now }: PlaceCall, name: string): GitHubAnswer {
  if (!nameRule.test(name)) {
    return failed(
      'github.secret.name',
      422,
      'Secret names can only contain alphanumeric characters or underscores.',
    )
  }
  const { encrypted_value: box, key_id: keyId } = sent
  if (typeof box !== 'string' || keyId !== place.keyId) {
    const message = 'encrypted_value and the key_id of the public key in use are required.'
    return failed('github.secret.sealed', 422, message)
  }
  const value = place.open(box)
  if (value === null) {
    const message = 'encrypted_value is not sealed for the public key in use.'
    return failed('github.secret.unsealed', 422, message)
  }
  const isNew = put(place.secrets, name, value, now)
  return isNew ? created('github.secret.put') : noContent('github.secret.put')
}

/** Answers requests for …/secrets. Values are decrypted, as for a job, but never returned. */
export function secretsAnswer(call: PlaceCall): GitHubAnswer {
  const { place, method } = call
  if (method === 'GET' && call.name === undefined) {
    const secrets = [...place.secrets.values()].map(secretView)
    return ok('github.secret.get', { total_count: secrets.length, secrets })
  }
  if (method === 'GET' && call.name === 'public-key') {
    return ok('github.public-key', { key_id: place.keyId, key: place.publicKey })
  }
  const name = (call.name ?? '').toUpperCase()
  if (method === 'PUT') return putSecret(call, name)
  const secret = place.secrets.get(name)
  if (secret === undefined) return notFound('github.secret.get')
  if (method === 'GET') return ok('github.secret.get', secretView(secret))
  if (method !== 'DELETE') return notFound()
  place.secrets.delete(name)
  return noContent('github.secret.delete')
}

function createVariable({ place, sent, now }: PlaceCall): GitHubAnswer {
  const name = String(sent['name'] ?? '').toUpperCase()
  const { value } = sent
  if (!nameRule.test(name) || typeof value !== 'string') {
    return failed('github.variable.create', 422, 'Validation Failed: name and value are required.')
  }
  if (place.variables.has(name)) {
    return failed('github.variable.exists', 409, 'Already exists - Variable already exists')
  }
  put(place.variables, name, value, now)
  return created('github.variable.create')
}

/** Answers requests for …/variables. */
export function variablesAnswer(call: PlaceCall): GitHubAnswer {
  const { place, method, sent, now } = call
  if (call.name === undefined) {
    if (method === 'POST') return createVariable(call)
    const variables = [...place.variables.values()].map(variableView)
    if (method !== 'GET') return notFound()
    return ok('github.variable.get', { total_count: variables.length, variables })
  }
  const name = call.name.toUpperCase()
  const variable = place.variables.get(name)
  if (variable === undefined) return notFound('github.variable.get')
  if (method === 'GET') return ok('github.variable.get', variableView(variable))
  if (method === 'DELETE') {
    place.variables.delete(name)
    return noContent('github.variable.delete')
  }
  if (method !== 'PATCH' || typeof sent['value'] !== 'string') {
    return failed('github.variable.change', 422, 'Validation Failed: value is required.')
  }
  put(place.variables, name, sent['value'], now)
  return noContent('github.variable.change')
}
