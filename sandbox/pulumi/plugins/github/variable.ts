import { type Properties, text } from '../../properties.ts'
import type { Resource } from '../resource.ts'
import { environmentPath, type GitHub, timeIn } from './client.ts'

const pathOf = (client: GitHub, state: Properties) =>
  `${environmentPath(client, state)}/variables/${text(state['variableName'])}`
const bodyOf = (inputs: Properties): Properties => ({
  name: inputs['variableName'] ?? null,
  value: inputs['value'] ?? null,
})

/** A variable, which the service stores in plain text. */
export const actionsEnvironmentVariable: Resource<GitHub> = {
  // resource_github_actions_environment_variable.go: environment and variable_name are ForceNew, and a repository with
  // another id replaces (`diffRepository`).
  replaceOn: ['repository', 'environment', 'variableName'],
  computed: ['createdAt', 'updatedAt'],
  create: async (client, inputs) => {
    const path = `${environmentPath(client, inputs)}/variables`
    await client.call({ method: 'POST', path, json: bodyOf(inputs) })
    const served = await client.call({ method: 'GET', path: pathOf(client, inputs) })
    return {
      id: ['repository', 'environment', 'variableName'].map(key => text(inputs[key])).join(':'),
      state: {
        ...inputs,
        createdAt: timeIn(served, 'created_at'),
        updatedAt: timeIn(served, 'updated_at'),
      },
    }
  },
  path: (_, state, client) => pathOf(client, state),
  read: (served, id, known) => {
    const inputs = { ...known.inputs, value: served['value'] ?? null }
    return { id, inputs, state: { ...known.state, ...inputs } }
  },
  update: async (client, _, inputs, { state }) => {
    await client.call({ method: 'PATCH', path: pathOf(client, state), json: bodyOf(inputs) })
    return { ...state, ...inputs }
  },
}
