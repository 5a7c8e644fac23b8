import sodium from 'libsodium-wrappers'
import { type Properties, text } from '../../properties.ts'
import type { Resource } from '../resource.ts'
import { environmentPath, type GitHub, timeIn } from './client.ts'

/**
 * Encrypts a text for the holder of the private key (GitHub REST, Encrypting secrets).
 * @param publicKey base64
 * @returns base64
 */
async function seal(plain: string, publicKey: string): Promise<string> {
  await sodium.ready
  const key = new Uint8Array(Buffer.from(publicKey, 'base64'))
  return Buffer.from(sodium.crypto_box_seal(Buffer.from(plain), key)).toString('base64')
}

async function put(client: GitHub, inputs: Properties): Promise<Properties> {
  const secrets = `${environmentPath(client, inputs)}/secrets`
  const { key, key_id: keyId = null } = await client.call({ method: 'GET', path: `${secrets}/public-key` })
  const plain = text(inputs['value'] ?? inputs['plaintextValue'])
  const json = { encrypted_value: await seal(plain, text(key)), key_id: keyId }
  const path = `${secrets}/${text(inputs['secretName'])}`
  await client.call({ method: 'PUT', path, json })
  const served = await client.call({ method: 'GET', path })
  const updatedAt = timeIn(served, 'updated_at')
  return { ...inputs, createdAt: timeIn(served, 'created_at'), updatedAt, remoteUpdatedAt: updatedAt }
}

/** A secret. The service never returns it, so only the state knows its value. */
export const actionsEnvironmentSecret: Resource<GitHub> = {
  // resource_github_actions_environment_secret.go: environment and secret_name are ForceNew, and a repository with
  // another id replaces (`diffRepository`).
  replaceOn: ['repository', 'environment', 'secretName'],
  computed: ['createdAt', 'updatedAt', 'remoteUpdatedAt'],
  // observed: github 6.15.0, with a PUT that was answered with 403.
  keepsFailedUpdate: true,
  create: async (client, inputs) => ({
    id: ['repository', 'environment', 'secretName'].map(key => text(inputs[key])).join(':'),
    state: await put(client, inputs),
  }),
  path: (_, state, client) => `${environmentPath(client, state)}/secrets/${text(state['secretName'])}`,
  read: (served, id, { inputs, state }) => {
    // `updatedAt` stays the time of the provider's own write, and `remoteUpdatedAt` follows GitHub's.
    const { value = null, plaintextValue = null } = state
    return {
      id,
      inputs: { ...inputs, ...(value ? { value } : { plaintextValue }) },
      state: { ...state, remoteUpdatedAt: timeIn(served, 'updated_at') },
    }
  },
  update: (client, _, inputs) => put(client, inputs),
}
