const groups = 8

/** Returns whether the whole text is four decimal octets. Written here, because a Worker has no `node:net`. */
export function isIpv4(text: string): boolean {
  return /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text)
}

/** Returns whether the whole text is an IPv6 address in any form of RFC 4291, without a zone id. */
export function isIpv6(text: string): boolean {
  const quad = /(?<=:)[\d.]+$/.exec(text)?.[0] ?? ''
  const hex = isIpv4(quad) ? `${text.slice(0, -quad.length)}0:0` : text
  const halves = hex.split('::')
  const parts = halves.flatMap(half => (half === '' ? [] : half.split(':')))
  if (!parts.every(part => /^[\da-f]{1,4}$/i.test(part))) return false
  return halves.length === 1 ? parts.length === groups : halves.length === 2 && parts.length < groups
}
