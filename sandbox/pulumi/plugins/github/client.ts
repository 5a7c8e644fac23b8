import { type Properties, text } from '../../properties.ts'
import { parseObject, type Request, send } from '../rest.ts'

/** GitHub's interface as its provider calls it. */
export interface GitHub {
  readonly owner: string
  /** An answer's body; empty where there is none. */
  call(request: Request): Promise<Properties>
}

const publicUrl = 'https://api.github.com/'
const isTransient = (status: number): boolean => status >= 500 || status === 429

/**
 * @param baseUrl with or without a slash at its end
 * @param owner of every repository
 */
export function gitHubClient(baseUrl: string | undefined, owner: string, token: string): GitHub {
  const root = (baseUrl ?? publicUrl).replace(/\/$/, '')
  const headers = {
    accept: 'application/vnd.github+json',
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
  }
  return {
    owner,
    call: async request => {
      const reply = await send(root, request, headers, isTransient)
      return reply.body === '' ? {} : parseObject(reply)
    },
  }
}

/** The path of a repository. */
export const repositoryPath = ({ owner }: GitHub, inputs: Properties): string =>
  `/repos/${owner}/${text(inputs['repository'])}`

/** The path of an environment; its name may have a slash in it. */
export const environmentPath = (client: GitHub, inputs: Properties): string =>
  `${repositoryPath(client, inputs)}/environments/${encodeURIComponent(text(inputs['environment']))}`

/** Where secrets and variables of a whole repository stand. */
export const actionsPath = (client: GitHub, inputs: Properties): string =>
  `${repositoryPath(client, inputs)}/actions`
