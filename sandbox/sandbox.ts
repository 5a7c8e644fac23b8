import { startCloudflare } from './cloudflare/cloudflare.ts'
import { Control } from './control/control.ts'
import { startControl } from './control/server.ts'
import type { SandboxDescription } from './description.ts'
import { startDns } from './dns/dns.ts'
import { startEcho } from './echo/echo.ts'
import type { EntraDescription, EntraOptions } from './entra/entra.ts'
import type { GitHubDescription } from './github/github.ts'
import { homePageService } from './home-page/home-page.ts'
import { ServerContext } from './http/context.ts'
import { type Area, transportSecurity } from './http/ledger.ts'
import { serve } from './http/serve.ts'
import { loopback } from './http/server.ts'

export type { FullDescription, SandboxDescription } from './description.ts'

export interface SandboxOptions {
  /** Every identifier and token follows from it. Default 1. */
  readonly seed?: number
  /** The zone that the scoped token may write. Default `example.com`. */
  readonly zoneName?: string
  /** The identity provider with its directory. Left out by default. */
  readonly entra?: EntraOptions | undefined
  /** Where workflows get their secrets and variables. Left out by default. */
  readonly github?: boolean
  /** 0 and absent mean any free port. */
  readonly ports?: {
    readonly cloudflare?: number
    readonly https?: number
    readonly dns?: number
    readonly control?: number
    readonly echo?: readonly number[]
    readonly github?: number
  }
}

/** What a sandbox is described with: every service that its options ask for. */
type Described<Options extends SandboxOptions> = SandboxDescription &
  (Options extends { readonly entra: EntraOptions } ? EntraDescription : unknown) &
  (Options extends { readonly github: true } ? GitHubDescription : unknown)

export interface Sandbox<Description extends SandboxDescription = SandboxDescription> {
  readonly description: Description
  /** What `description.control` offers over HTTP, for tests in the same process. */
  readonly control: Control
  /** The behaviours that answers rely on, by area. */
  readonly ledger: readonly Area[]
  /** Ends every service and every connection. */
  close(): Promise<void>
}

/**
 * Starts every emulator on loopback.
 * @throws ListenError if a port that was asked for is taken; nothing is left running then
 */
export async function startSandbox<Options extends SandboxOptions>(
  options: Options = {} as Options,
): Promise<Sandbox<Described<Options>>> {
  const { seed = 1, zoneName = 'example.com', entra, github, ports = {} } = options
  const context = new ServerContext(seed)
  try {
    const shared = await serve(context, { name: 'cloudflare', port: ports.cloudflare })
    const https = await serve(context, { name: 'https', port: ports.https, secure: true })
    const urls = { baseUrl: shared.url, httpsUrl: https.url }
    const cloudflare = startCloudflare(context, { zoneName, ...urls })
    const control = new Control(context)
    const described = {
      ...cloudflare.description,
      ...(await startEcho(context, ports.echo)),
      ...(await startDns(context, { views: cloudflare.zoneViews, port: ports.dns, baseUrl: shared.url })),
      // Loaded only if wanted: the libraries behind them take longer to load than everything else.
      ...(entra && (await (await import('./entra/entra.ts')).startEntra(context, entra, https.port))),
      ...(github && (await (await import('./github/github.ts')).startGitHub(context, ports.github))),
    }
    const controlServer = await context.run(startControl(control.operations(), ports.control ?? 0))
    const description: SandboxDescription = {
      ...described,
      https: { host: loopback, port: https.port },
      ca: (await context.authority).pem,
      control: controlServer.url,
    }
    context.register(
      homePageService({ overview: cloudflare.overview, journal: context.journal, description }),
    )
    context.open()
    return {
      // Those that were asked for have started.
      description: description as Described<Options>,
      control,
      ledger: [...context.services.flatMap(({ ledger = [] }) => ledger), transportSecurity],
      close: () => context.close(),
    }
  } catch (error) {
    await context.close()
    throw error
  }
}
