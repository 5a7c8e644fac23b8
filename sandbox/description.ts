import type { CloudflareDescription } from './cloudflare/cloudflare.ts'
import type { DnsDescription } from './dns/dns.ts'
import type { EchoDescription } from './echo/echo.ts'
import type { OptionalServicesDescription } from './optional-services.ts'

/** Where everything is, in the form in which it is printed for programs. */
export type SandboxDescription = {
  /** The same services as on the port of the API. The name of the host selects one. */
  readonly https: { readonly host: string; readonly port: number }
  /** The certificate of the authority that signs for every host there. PEM. */
  readonly ca: string
  /** The base of the interface for tests. */
  readonly control: string
} & CloudflareDescription &
  DnsDescription &
  EchoDescription &
  OptionalServicesDescription
