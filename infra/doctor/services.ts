import { exchange, type HttpAnswer, type HttpRequest, requireSafeUrl } from '../http.ts'

/** Sends a request to a service, a GET by default. A path starts with a slash. */
export type Send = (
  path: string,
  request?: Pick<HttpRequest, 'method' | 'json' | 'answer'>,
) => Promise<HttpAnswer>

/**
 * Connects to a service.
 * @param setting that has the base URL
 * @throws CommandError if the base URL is not safe
 */
export function connect(url: string, setting: string, token: string): Send {
  const root = requireSafeUrl(url, setting)
  const headers = { authorization: `Bearer ${token}`, 'user-agent': 'homeport' }
  return (path, request) => exchange(`${root}${path}`, { ...request, headers })
}

/** Connects to GitHub's API. @throws CommandError if the base URL in the environment is not safe */
export const connectGitHub = ({ GITHUB_API_URL: url }: NodeJS.ProcessEnv, token: string): Send =>
  connect(url || 'https://api.github.com', 'GITHUB_API_URL', token)

/** Sets HOMEPORT_GRAPH_TOKEN. */
export const graphTokenCommand =
  'export HOMEPORT_GRAPH_TOKEN=$(az account get-access-token --resource-type ms-graph --query accessToken --output tsv)'
