import { type Properties, pick, text, toSnake } from '../../properties.ts'
import type { Resource } from '../resource.ts'
import { unlessGone } from '../rest.ts'
import { environmentPath, type GitHub } from './client.ts'

const settings = ['waitTimer', 'preventSelfReview', 'canAdminsBypass', 'reviewers', 'deploymentBranchPolicy']

const put = (client: GitHub, inputs: Properties): Promise<Properties> =>
  client.call({
    method: 'PUT',
    path: environmentPath(client, inputs),
    json: toSnake(pick(inputs, settings)),
  })

/** An environment of a repository. PUT creates or updates it. */
export const repositoryEnvironment: Resource<GitHub> = {
  replaceOn: ['repository', 'environment'],
  computed: ['repositoryId'],
  create: async (client, inputs) => {
    await put(client, inputs)
    return { id: `${text(inputs['repository'])}:${text(inputs['environment'])}`, state: inputs }
  },
  read: async (client, id, { inputs, state }) => {
    const served = await unlessGone(client.call({ method: 'GET', path: environmentPath(client, state) }))
    return served && { id, inputs, state }
  },
  update: async (client, _, inputs) => {
    await put(client, inputs)
    return inputs
  },
  delete: async (client, _, state) => {
    await unlessGone(client.call({ method: 'DELETE', path: environmentPath(client, state) }))
  },
}
