import type { Repository } from './repository.ts'

/** Fields that GitHub's description of its API requires in every object. Nobody here reads them, but typed clients do. */

const web = 'https://github.com'
const apiUrl = 'https://api.github.com'

/** The API's address of a repository, as in every `url` of the public service. */
export const apiUrlOf = ({ owner, name }: Repository): string => `${apiUrl}/repos/${owner}/${name}`
export const webUrlOf = ({ owner, name }: Repository): string => `${web}/${owner}/${name}`

/** Returns an opaque id of the GraphQL API. */
export const nodeId = (kind: string, id: number | string): string =>
  `${kind}_${Buffer.from(`${kind}:${id}`).toString('base64url')}`

/** Returns a simple user. */
export function userView(id: number, login: string, type: string) {
  const url = `${apiUrl}/users/${encodeURIComponent(login)}`
  return {
    login,
    id,
    node_id: nodeId('U', id),
    avatar_url: `https://avatars.githubusercontent.com/u/${id}`,
    gravatar_id: '',
    url,
    html_url: `${web}/${encodeURIComponent(login)}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type,
    site_admin: false,
  }
}
