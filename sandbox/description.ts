import type { CloudflareDescription } from './cloudflare/cloudflare.ts'
import type { DnsDescription } from './dns/dns.ts'
import type { EchoDescription } from './echo/echo.ts'
import type { EntraDescription } from './entra/entra.ts'
import type { GitHubDescription } from './github/github.ts'

/** The addresses of the sandbox itself. */
interface SharedDescription {
  /** The shared port over TLS. The host of a request selects the service. */
  readonly https: { readonly host: string; readonly port: number }
  /** The certificate of the authority that signs for every host there, as PEM. */
  readonly ca: string
}

/** The addresses and credentials of all services, as printed for programs. Services that do not run are left out. */
export type SandboxDescription = SharedDescription &
  CloudflareDescription &
  DnsDescription &
  EchoDescription &
  Partial<EntraDescription> &
  Partial<GitHubDescription>

/** The description of a sandbox with every service. */
export type FullDescription = SandboxDescription & EntraDescription & GitHubDescription
