import { exchange, type HttpAnswer, type HttpRequest, requireSafeUrl } from '../../http.ts'

/** Sends a request to GitHub's API. A path starts with a slash. */
export type GitHub = (path: string, request?: Pick<HttpRequest, 'method' | 'json'>) => Promise<HttpAnswer>

/** @throws Refusal if the base URL in the environment is not safe */
export function connectGitHub({ GITHUB_API_URL: url }: NodeJS.ProcessEnv, token: string): GitHub {
  const root = requireSafeUrl(url || 'https://api.github.com', 'GITHUB_API_URL')
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/vnd.github+json',
    'user-agent': 'homeport',
  }
  return (path, request) => exchange(`${root}${path}`, { ...request, headers })
}
