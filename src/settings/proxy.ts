/** Environment variables. */
type Texts = Readonly<Record<string, string | undefined>>

/**
 * Returns a problem if the environment names a proxy that would be ignored. Requests beyond this machine use https, so
 * only `HTTPS_PROXY` applies to them.
 */
export function proxyProblem(env: Texts): string | null {
  const isSet = (name: string) => Boolean(env[name]?.trim())
  const ignored = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'].find(isSet)
  if (ignored === undefined || isSet('HTTPS_PROXY') || isSet('https_proxy')) return null
  return `${ignored} is set without HTTPS_PROXY, and would be ignored: all requests use https. Set HTTPS_PROXY, or remove ${ignored}.`
}
