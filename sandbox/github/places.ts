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
    return failed(422, 'Secret names can only contain alphanumeric characters or underscores.')
  }
  const { encrypted_value: box, key_id: keyId } = sent
  if (typeof box !== 'string' || keyId !== place.keyId) {
    const message = 'encrypted_value and the key_id of the public key in use are required.'
    // documented: A secret is sent as a libsodium sealed box, with the id of the public key. [GitHub REST, Actions secrets and
    // deployment environments]
    return failed(422, message)
  }
  const value = place.open(box)
  if (value === null) {
    const message = 'encrypted_value is not sealed for the public key in use.'
    // assumed: A request with a box that cannot be decrypted gets 422. The real service perhaps notices only when a job uses the
    // secret. [a decision of this project, to be strict]
    return failed(422, message)
  }
  const isNew = put(place.secrets, name, value, now)
  // documented: PUT returns 201 for a new secret and 204 for a changed one. [GitHub REST, Actions secrets and deployment
  // environments]
  return isNew ? created() : noContent()
}

/** Answers requests for …/secrets. Values are decrypted, as for a job, but never returned. */
export function secretsAnswer(call: PlaceCall): GitHubAnswer {
  const { place, method } = call
  if (method === 'GET' && call.name === undefined) {
    const secrets = [...place.secrets.values()].map(secretView)
    // documented: Secrets are returned without their values. [GitHub REST, Actions secrets and deployment environments]
    return ok({ total_count: secrets.length, secrets })
  }
  if (method === 'GET' && call.name === 'public-key') {
    // documented: A repository and each environment have a public key with an id. [GitHub REST, Actions secrets and deployment
    // environments]
    return ok({ key_id: place.keyId, key: place.publicKey })
  }
  const name = (call.name ?? '').toUpperCase()
  if (method === 'PUT') return putSecret(call, name)
  const secret = place.secrets.get(name)
  if (secret === undefined) return notFound()
  if (method === 'GET') return ok(secretView(secret))
  if (method !== 'DELETE') return notFound()
  place.secrets.delete(name)
  // documented: DELETE deletes a secret and returns 204. [GitHub REST, Actions secrets and deployment environments]
  return noContent()
}

function createVariable({ place, sent, now }: PlaceCall): GitHubAnswer {
  const name = String(sent['name'] ?? '').toUpperCase()
  const { value } = sent
  if (!nameRule.test(name) || typeof value !== 'string') {
    // documented: POST creates a variable and returns 201. [GitHub REST, Actions variables]
    return failed(422, 'Validation Failed: name and value are required.')
  }
  if (place.variables.has(name)) {
    // observed: A POST with a name that exists gets 409 "Already exists - Variable already exists". [reports about Terraform's
    // provider for GitHub, 2025-11]
    return failed(409, 'Already exists - Variable already exists')
  }
  put(place.variables, name, value, now)
  return created()
}

/** Answers requests for …/variables. */
export function variablesAnswer(call: PlaceCall): GitHubAnswer {
  const { place, method, sent, now } = call
  if (call.name === undefined) {
    if (method === 'POST') return createVariable(call)
    const variables = [...place.variables.values()].map(variableView)
    if (method !== 'GET') return notFound()
    // documented: Variables are returned with their values. [GitHub REST, Actions variables]
    return ok({ total_count: variables.length, variables })
  }
  const name = call.name.toUpperCase()
  const variable = place.variables.get(name)
  if (variable === undefined) return notFound()
  if (method === 'GET') return ok(variableView(variable))
  if (method === 'DELETE') {
    place.variables.delete(name)
    // documented: DELETE deletes a variable and returns 204. [GitHub REST, Actions variables]
    return noContent()
  }
  if (method !== 'PATCH' || typeof sent['value'] !== 'string') {
    // documented: PATCH changes a variable and returns 204. [GitHub REST, Actions variables]
    return failed(422, 'Validation Failed: value is required.')
  }
  put(place.variables, name, sent['value'], now)
  return noContent()
}
