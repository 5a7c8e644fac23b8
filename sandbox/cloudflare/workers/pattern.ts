/** A parsed URL pattern. */
interface Pattern {
  /** Null if the pattern fits both. */
  readonly scheme: string | null
  readonly host: string
  readonly path: string
}

const format = /^(?:(https?):\/\/)?(\*?[^/*?#\s]+|\*)(\/[^?#\s]*)?$/i

function parse(pattern: string): Pattern | null {
  const [matched, scheme, host, path = '/'] = format.exec(pattern) ?? []
  if (matched === undefined || host === undefined) return null
  const star = path.indexOf('*')
  return star >= 0 && star !== path.length - 1
    ? null
    : { scheme: scheme?.toLowerCase() ?? null, host: host.toLowerCase(), path }
}

/** Returns the host of a pattern without its wildcard, or null if the pattern is invalid. */
export const hostOfPattern = (pattern: string): string | null =>
  parse(pattern)?.host.replace(/^\*\.?/, '') ?? null

const matchesHost = (host: string, requested: string): boolean =>
  host.startsWith('*') ? requested.endsWith(host.slice(1)) : requested === host

const matchesPath = (path: string, requested: string): boolean =>
  path.endsWith('*') ? requested.startsWith(path.slice(0, -1)) : requested === path

/**
 * Returns the candidate with the most specific pattern that matches a URL. A host without wildcard wins over one with a
 * wildcard, then the longer host wins, then the longer path.
 */
export function mostSpecific<T extends { readonly pattern: string }>(
  candidates: readonly T[],
  url: URL,
): T | null {
  const fitting = candidates.flatMap(candidate => {
    const pattern = parse(candidate.pattern)
    if (pattern === null) return []
    const { scheme, host, path } = pattern
    const fits =
      (scheme === null || `${scheme}:` === url.protocol) &&
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
  return best?.candidate ?? null
}
