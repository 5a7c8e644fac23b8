/** Parses the number of a TCP port, from 0 to 65535; null for any other text, such as `0x50` or `1e3`. */
export function parsePort(text: string): number | null {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  return port <= 65_535 ? port : null
}
