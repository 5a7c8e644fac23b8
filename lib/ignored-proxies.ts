/**
 * Returns what is wrong if the environment names a proxy that a server on Node would ignore: a token would take a way that was
 * closed. Requests beyond this machine use https, so only `HTTPS_PROXY` applies to them.
 */
export function ignoredProxies(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const isSet = (name: string) => Boolean(env[name]?.trim())
  const used = ['HTTPS_PROXY', 'https_proxy'].find(isSet)
  const other = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'].find(isSet)
  // Agents of Node.js can use a proxy in the versions that have this flag. Older ones ignore `proxyEnv` without a word.
  if (used !== undefined && !process.allowedNodeEnvironmentFlags.has('--use-env-proxy'))
    return [
      `${used} would be ignored by Node.js ${process.versions.node}. Use Node.js 24.5 or newer, or 22.21 or newer in 22, or remove ${used}.`,
    ]
  if (used !== undefined || other === undefined) return []
  return [`${other} would be ignored: all requests use https. Set HTTPS_PROXY, or remove ${other}.`]
}
