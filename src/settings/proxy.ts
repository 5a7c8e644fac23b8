/** Environment variables. */
type Texts = Readonly<Record<string, string | undefined>>

/**
 * Returns what is wrong if the environment names a proxy that would be ignored. Requests beyond this machine use https, so
 * only `HTTPS_PROXY` applies to them.
 */
export function proxyProblems(env: Texts): readonly string[] {
  const isSet = (name: string) => Boolean(env[name]?.trim())
  const ignored = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'].find(isSet)
  if (ignored === undefined || isSet('HTTPS_PROXY') || isSet('https_proxy')) return []
  return [
    `${ignored} is set without HTTPS_PROXY, and would be ignored: all requests use https. Set HTTPS_PROXY, or remove ${ignored}.`,
  ]
}
