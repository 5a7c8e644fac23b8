import { type Properties, text } from '../../properties.ts'
import type { Resource } from '../resource.ts'
import { unlessGone } from '../rest.ts'
import { actionsPath, environmentPath, type GitHub, timeIn } from './client.ts'
import { seal } from './sealed-box.ts'

type Place = (client: GitHub, inputs: Properties) => string

async function put(client: GitHub, place: Place, inputs: Properties): Promise<Properties> {
  const secrets = `${place(client, inputs)}/secrets`
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
function secretIn(place: Place, places: readonly string[]): Resource<GitHub> {
  const pathOf = (client: GitHub, state: Properties) =>
    `${place(client, state)}/secrets/${text(state['secretName'])}`
  return {
    // resource_github_actions_environment_secret.go: environment and secret_name are ForceNew, and a repository with
    // another id replaces (`diffRepository`).
    replaceOn: [...places, 'secretName'],
    computed: ['createdAt', 'updatedAt', 'remoteUpdatedAt'],
    create: async (client, inputs) => ({
      id: [...places, 'secretName'].map(key => text(inputs[key])).join(':'),
      state: await put(client, place, inputs),
    }),
    read: async (client, id, { inputs, state }) => {
      const served = await unlessGone(client.call({ method: 'GET', path: pathOf(client, state) }))
      // `updatedAt` stays the time of the provider's own write, and `remoteUpdatedAt` follows GitHub's.
      return served && { id, inputs, state: { ...state, remoteUpdatedAt: timeIn(served, 'updated_at') } }
    },
    update: (client, _, inputs) => put(client, place, inputs),
    delete: async (client, _, state) => {
      await unlessGone(client.call({ method: 'DELETE', path: pathOf(client, state) }))
    },
  }
}

export const actionsEnvironmentSecret = secretIn(environmentPath, ['repository', 'environment'])
export const actionsSecret = secretIn(actionsPath, ['repository'])
