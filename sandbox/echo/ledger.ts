import { documented, type Entry, observed } from '../http/ledger.ts'

/** The address echoes. */
export const echo = {
  'echo.address': observed`GET / returns the address as one line of text. [public echo services, read in 2026-11]`,
  'echo.trace': observed`GET /cdn-cgi/trace returns \`ip=\` and other lines. An answer that is not an address is returned unchanged. [read in 2026-11; favonia/cloudflare-ddns and timothymiller/cloudflare-ddns parse it]`,
  'echo.ranges': documented`GET /ips-v4 and /ips-v6 of www.cloudflare.com list the ranges of Cloudflare's proxies, one per line. [Cloudflare, IP addresses]`,
} as const satisfies Readonly<Record<string, Entry>>
