import { startCloudflare } from './cloudflare/cloudflare.ts'
import { Control } from './control.ts'
import type { SandboxDescription } from './description.ts'
import { startDns } from './dns/dns.ts'
import { startEcho } from './echo/echo.ts'
import type { EntraDescription, EntraOptions } from './entra/entra.ts'
import type { GitHubDescription } from './github/github.ts'
import { ServerContext } from './http/context.ts'
import { serve } from './http/serve.ts'
import { loopback } from './http/server.ts'

export type { FullDescription, SandboxDescription } from './description.ts'

export interface SandboxOptions {
  /** Determines every id and token. Default 1. */
  readonly seed?: number
  /** Also starts Entra: the login service and Graph. */
  readonly entra?: EntraOptions | undefined
  /** Also starts GitHub's API. */
  readonly github?: boolean
}

/** The description of a sandbox, with the services that its options start. */
type Described<Options extends SandboxOptions> = SandboxDescription &
  (Options extends { readonly entra: EntraOptions } ? EntraDescription : unknown) &
  (Options extends { readonly github: true } ? GitHubDescription : unknown)

export interface Sandbox<Description extends SandboxDescription = SandboxDescription> {
  readonly description: Description
  readonly control: Control
  /** Ends every service and every connection. */
  close(): Promise<void>
}

/** Starts every emulator on loopback. If one cannot start, nothing is left running. */
export async function startSandbox<Options extends SandboxOptions>(
  options: Options = {} as Options,
): Promise<Sandbox<Described<Options>>> {
  const { seed = 1, entra, github } = options
  const context = new ServerContext(seed)
  try {
    const shared = await serve(context)
    const https = await serve(context, { secure: true })
    const urls = { baseUrl: shared.url, httpsUrl: https.url }
    const ca = (await context.authority).pem
    const cloudflare = startCloudflare(context, { ca, ...urls })
    const described = {
      ...cloudflare.description,
      ...(await startEcho(context)),
      ...(await startDns(context, cloudflare.store, shared.url)),
      // Imported only if needed, because their libraries take longer to load than everything else.
      ...(entra && (await (await import('./entra/entra.ts')).startEntra(context, entra, https.port))),
      ...(github && (await (await import('./github/github.ts')).startGitHub(context))),
    }
    const description: SandboxDescription = {
      ...described,
      https: { host: loopback, port: https.port },
      ca,
    }
    return {
      // The services that the options name have started.
      description: description as Described<Options>,
      control: new Control(context),
      close: () => context.close(),
    }
  } catch (error) {
    await context.close()
    throw error
  }
}
