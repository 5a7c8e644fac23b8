import type { Entra, EntraDescription } from './entra/entra.ts'
import type { GitHub, GitHubDescription } from './github/github.ts'
import type { ServerContext } from './http/context.ts'
import { SeededIds } from './http/seeded-ids.ts'
import { loopback } from './http/server.ts'
import type { SandboxOptions } from './sandbox.ts'

/** What the description says of the services that a sandbox starts only when it is asked to. */
export interface OptionalServicesDescription {
  readonly entra?: EntraDescription & {
    /** Host and port of the metadata, over https: `azuread:metadataHost`. */
    readonly metadataHost: string
    /** The first of those that the application of the description returns to. */
    readonly redirectUri: string
  }
  readonly github?: GitHubDescription
}

/** The identity provider and GitHub, those that were asked for. */
export interface OptionalServices {
  readonly entra: Entra | undefined
  readonly github: GitHub | undefined
  /** @param httpsPort where the metadata is served */
  describe(httpsPort: number): OptionalServicesDescription
  close(): Promise<void>
}

type Wanted = Pick<SandboxOptions, 'seed' | 'entra' | 'github' | 'ports'>

const startEntra = async ({ seed = 1, entra }: Wanted): Promise<Entra | undefined> => {
  if (entra === undefined) return undefined
  // Loaded only now: the library behind it takes longer than everything else to load.
  const module = await import('./entra/entra.ts')
  return module.startEntra({ seed, redirectUris: entra.redirectUris })
}

const startGitHub = async ({ seed = 1, github, ports }: Wanted): Promise<GitHub | undefined> => {
  if (github !== true) return undefined
  const module = await import('./github/github.ts')
  // A series of its own, so that the tokens of the DNS service stay what they are.
  const token = `github_pat_${new SeededIds(seed).id()}`
  return module.startGitHub({ token, ...(ports?.github === undefined ? {} : { port: ports.github }) })
}

const registerMetadata = async (context: ServerContext, entra: Entra): Promise<void> => {
  const { metadataAnswer, metadataPath } = await import('./entra/metadata.ts')
  const { status, headers, body } = metadataAnswer(entra.description)
  context.register({
    name: 'entra',
    claim: ({ path }) => (path === metadataPath ? 0 : undefined),
    answer: () => ({ status, headers: { 'content-type': String(headers['content-type']) }, body }),
  })
}

/** Starts what was asked for, and nothing by default. */
export const startOptionalServices = async (
  context: ServerContext,
  wanted: Wanted,
): Promise<OptionalServices> => {
  const [entra, github] = await Promise.all([startEntra(wanted), startGitHub(wanted)])
  if (entra) await registerMetadata(context, entra)
  return {
    entra,
    github,
    describe: httpsPort => ({
      ...(entra && {
        entra: {
          ...entra.description,
          metadataHost: `${loopback}:${httpsPort}`,
          redirectUri: wanted.entra?.redirectUris[0] ?? '',
        },
      }),
      ...(github && { github: github.description }),
    }),
    close: async () => {
      await Promise.all([entra?.close(), github?.close()])
    },
  }
}
