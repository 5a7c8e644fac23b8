import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { Entra } from '../../../../sandbox/entra/entra.ts'
import type { GitHub } from '../../../../sandbox/github/github.ts'
import type { JournalEntry } from '../../../../sandbox/http/journal.ts'
import { azuread } from '../../../../sandbox/pulumi/plugins/azuread/package.ts'
import { cloudflare } from '../../../../sandbox/pulumi/plugins/cloudflare/package.ts'
import { github } from '../../../../sandbox/pulumi/plugins/github/package.ts'
import { createProvider, type Provider } from '../../../../sandbox/pulumi/plugins/provider.ts'
import type { Properties } from '../../../../sandbox/pulumi/properties.ts'
import { type Sandbox, startSandbox } from '../../../../sandbox/sandbox.ts'

/** A sandbox with every service, and the three providers configured for it. */
export interface Fixture {
  readonly sandbox: Sandbox
  readonly entra: Entra
  readonly hub: GitHub
  /** Environment of the providers. */
  readonly environment: NodeJS.ProcessEnv
  readonly cloudflare: Provider
  readonly azuread: Provider
  readonly github: Provider
  /** Lists the requests to the DNS service since `forget`: method, and path after the version. */
  requests(): Promise<string[]>
  journal(): Promise<JournalEntry[]>
  forget(): Promise<void>
  control(method: string, path: string, body?: unknown): Promise<unknown>
}

/** Starts the sandbox before the tests of a file and stops it after them. */
export function useServices(): () => Fixture {
  let fixture: Fixture | undefined
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'homeport-providers-'))
    fixture = await startFixture(folder)
  })
  afterAll(async () => {
    await fixture?.sandbox.close()
    await rm(folder, { recursive: true, force: true })
  })
  return () => {
    if (fixture === undefined) throw new Error('The sandbox has not started.')
    return fixture
  }
}

async function startFixture(folder: string): Promise<Fixture> {
  const sandbox = await startSandbox({ entra: { redirectUris: [] }, github: true })
  const { entra, github: hub, description } = sandbox
  if (entra === undefined || hub === undefined) throw new Error('The sandbox left out what it was asked for.')
  const authority = join(folder, 'authority.pem')
  await writeFile(authority, description.ca)
  hub.repository.ensure('dns')
  const { deployer, tenantId } = entra.description
  const environment = {
    CLOUDFLARE_BASE_URL: description.cloudflare.apiUrl,
    CLOUDFLARE_API_TOKEN: description.cloudflare.adminToken,
    ARM_METADATA_HOSTNAME: description.entra?.metadataHost,
    ARM_TENANT_ID: tenantId,
    ARM_CLIENT_ID: deployer.clientId,
    ARM_CLIENT_SECRET: deployer.clientSecret,
    SSL_CERT_FILE: authority,
    GITHUB_BASE_URL: hub.description.baseUrl,
    GITHUB_OWNER: hub.description.owner,
    GITHUB_TOKEN: hub.description.token,
  }
  const control = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    return (await fetch(`${description.control}${path}`, { method, ...content })).json()
  }
  const journal = async () => ((await control('GET', '/journal')) as { entries: JournalEntry[] }).entries
  const config: Properties = {}
  return {
    sandbox,
    entra,
    hub,
    environment,
    cloudflare: createProvider(cloudflare, config, environment),
    azuread: createProvider(azuread, config, environment),
    github: createProvider(github, config, environment),
    control,
    journal,
    requests: async () =>
      (await journal()).map(({ method, path }) => `${method} ${path.replace('/client/v4', '')}`),
    forget: async () => {
      await control('DELETE', '/journal')
      entra.clearRequests()
      hub.forget()
    },
  }
}
