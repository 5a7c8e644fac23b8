/** A pattern of URLs, taken apart. */
type Pattern = { readonly scheme: string | undefined; readonly host: string; readonly path: string }

const shape = /^(?:(https?):\/\/)?(\*?[^/*?#\s]+|\*)(\/[^?#\s]*)?$/i

const parse = (pattern: string): Pattern | undefined => {
  const [matched, scheme, host, path = '/'] = shape.exec(pattern) ?? []
  if (matched === undefined || host === undefined) return undefined
  const star = path.indexOf('*')
  return star >= 0 && star !== path.length - 1
    ? undefined
    : { scheme: scheme?.toLowerCase(), host: host.toLowerCase(), path }
}

/** The host of a pattern without its wildcard, or undefined when the pattern is none: stars go first and last only. */
export const hostOfPattern = (pattern: string): string | undefined =>
  parse(pattern)?.host.replace(/^\*\.?/, '')

const matchesHost = (host: string, asked: string): boolean =>
  host.startsWith('*') ? asked.endsWith(host.slice(1)) : asked === host

const matchesPath = (path: string, asked: string): boolean =>
  path.endsWith('*') ? asked.startsWith(path.slice(0, -1)) : asked === path

/**
 * Finds the pattern that is meant for a URL: a host without wildcard goes before one with, then the longer host, then
 * the longer path.
 */
export const mostSpecific = <T extends { readonly pattern: string }>(
  candidates: readonly T[],
  url: URL,
): T | undefined => {
  const fitting = candidates.flatMap(candidate => {
    const pattern = parse(candidate.pattern)
    if (pattern === undefined) return []
    const { scheme, host, path } = pattern
    const fits =
      (scheme === undefined || `${scheme}:` === url.protocol) &&
      matchesHost(host, url.hostname) &&
      matchesPath(path, url.pathname)
    return fits ? [{ candidate, host, path }] : []
  })
  const [best] = fitting.sort(
    (one, other) =>
      Number(one.host.startsWith('*')) - Number(other.host.startsWith('*')) ||
      other.host.length - one.host.length ||
      other.path.length - one.path.length,
  )
  return best?.candidate
}
