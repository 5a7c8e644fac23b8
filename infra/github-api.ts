import { requireSafeUrl } from './http.ts'

/** Returns the base URL of GitHub's API and the headers of every request. @throws Refusal if the URL is not safe */
export function gitHubApi({ GITHUB_API_URL: url }: NodeJS.ProcessEnv, token: string) {
  return {
    root: requireSafeUrl(url || 'https://api.github.com', 'GITHUB_API_URL'),
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'user-agent': 'homeport',
    },
  }
}
