import type { CloudflareDescription } from './cloudflare/cloudflare.ts'
import type { DnsDescription } from './dns/dns.ts'
import type { EchoDescription } from './echo/echo.ts'
import type { EntraDescription } from './entra/entra.ts'
import type { GitHubDescription } from './github/github.ts'

/** Where the sandbox itself can be reached. */
interface SharedDescription {
  /** The same services as on the port of the API. The name of the host selects one. */
  readonly https: { readonly host: string; readonly port: number }
  /** The certificate of the authority that signs for every host there. PEM. */
  readonly ca: string
  /** The base of the interface for tests. */
  readonly control: string
}

/** Where everything is, in the form in which it is printed for programs. Services that were not asked for are left out. */
export type SandboxDescription = SharedDescription &
  CloudflareDescription &
  DnsDescription &
  EchoDescription &
  Partial<EntraDescription> &
  Partial<GitHubDescription>

/** The description of a sandbox with every service. */
export type FullDescription = SandboxDescription & EntraDescription & GitHubDescription
