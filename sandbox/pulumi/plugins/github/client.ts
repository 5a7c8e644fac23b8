import { type Properties, text } from '../../properties.ts'
import type { RestClient } from '../resource.ts'
import { objectIn, type Retrying, send } from '../rest.ts'

/** A client of GitHub. */
export interface GitHub extends RestClient {
  readonly owner: string
}

const publicUrl = 'https://api.github.com/'
const isTransient: Retrying = status => status !== 'lost' && (status >= 500 || status === 429)

/** Quotes an error as the provider's client does: its message, and an empty list of details (go-github, ErrorResponse). */
function quote(body: string): string {
  try {
    return `${text(JSON.parse(body).message)} []`
  } catch {
    return '[]'
  }
}

/**
 * Returns a client.
 * @param baseUrl with or without a trailing slash
 * @param owner the owner of every repository
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
      const reply = await send(root, request, headers, isTransient, quote)
      return reply.body === '' ? {} : objectIn(reply)
    },
  }
}

/** Returns the path of a repository. */
const repositoryPath = ({ owner }: GitHub, inputs: Properties): string =>
  `/repos/${owner}/${text(inputs['repository'])}`

/** Returns the path of an environment, whose name can contain a slash. */
export const environmentPath = (client: GitHub, inputs: Properties): string =>
  `${repositoryPath(client, inputs)}/environments/${encodeURIComponent(text(inputs['environment']))}`

/** Returns a time as the provider's state has it: GitHub's, in the notation of Go (`Timestamp.String` of go-github). */
export const timeIn = (served: Properties, name: 'created_at' | 'updated_at'): string =>
  text(served[name]).replace(/^(.+)T(.+)Z$/, '$1 $2 +0000 UTC')
