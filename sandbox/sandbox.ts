import { startCloudflare } from './cloudflare/cloudflare.ts'
import { Control } from './control/control.ts'
import { startControl } from './control/server.ts'
import type { SandboxDescription } from './description.ts'
import { startDns } from './dns/dns.ts'
import { startEcho } from './echo/echo.ts'
import { homePageService } from './home-page/home-page.ts'
import { ServerContext } from './http/context.ts'
import { type Area, transportSecurity } from './http/ledger.ts'
import { serve } from './http/serve.ts'
import { loopback } from './http/server.ts'
import { type OptionalServices, startOptionalServices } from './optional-services.ts'

export type { SandboxDescription } from './description.ts'

export interface SandboxOptions {
  /** Every identifier and token follows from it. Default 1. */
  readonly seed?: number
  /** The zone that the scoped token may write. Default `example.com`. */
  readonly zoneName?: string
  /** The identity provider with the directory behind it: what its first application returns to. Left out by default. */
  readonly entra?: { readonly redirectUris: readonly string[] } | undefined
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

export interface Sandbox {
  readonly description: SandboxDescription
  /** What `description.control` offers over HTTP, for tests in the same process. */
  readonly control: Control
  /** The behaviours that answers rely on, by area. */
  readonly ledger: readonly Area[]
  /** Those that were asked for. */
  readonly entra: OptionalServices['entra']
  readonly github: OptionalServices['github']
  /** Ends every service and every connection. */
  close(): Promise<void>
}

/**
 * Starts every emulator on loopback.
 * @throws ListenError if a port that was asked for is taken; nothing is left running then
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { seed = 1, zoneName = 'example.com', ports = {} } = options
  const context = new ServerContext(seed)
  try {
    const shared = await serve(context, { name: 'cloudflare', port: ports.cloudflare })
    const https = await serve(context, { name: 'https', port: ports.https, secure: true })
    const urls = { baseUrl: shared.url, httpsUrl: https.url }
    const cloudflare = startCloudflare(context, { zoneName, ...urls })
    const optional = await context.run(startOptionalServices(context, options))
    const control = new Control(context)
    const described = {
      ...cloudflare.description,
      ...(await startEcho(context, ports.echo)),
      ...(await startDns(context, { views: cloudflare.zoneViews, port: ports.dns, baseUrl: shared.url })),
      ...optional.describe(https.port),
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
      description,
      control,
      ledger: [...context.services.flatMap(({ ledger = [] }) => ledger), transportSecurity],
      entra: optional.entra,
      github: optional.github,
      close: () => context.close(),
    }
  } catch (error) {
    await context.close()
    throw error
  }
}
