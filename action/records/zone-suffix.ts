/** Returns the longest suffix that two names share, in whole labels: `example.com` for `a.example.com` and `b.example.com`. */
export function commonSuffix(one: string, other: string): string {
  const [labels, otherLabels] = [one.split('.').toReversed(), other.split('.').toReversed()]
  const differs = labels.findIndex((label, depth) => label !== otherLabels[depth])
  return (differs < 0 ? labels : labels.slice(0, differs)).toReversed().join('.')
}

/**
 * Returns whether a zone cannot hold a name, going by the suffix that all its records share. The zone's own name ends
 * that suffix and has two labels or more, so a name that shares fewer with it is outside. If they share more, only
 * Cloudflare knows: `a.co.uk` and `b.co.uk` look like two names of one zone.
 */
export function isOutside(hostname: string, zoneSuffix: string): boolean {
  return zoneSuffix.includes('.') && !commonSuffix(hostname, zoneSuffix).includes('.')
}
