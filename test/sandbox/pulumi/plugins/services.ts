import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { Control } from '../../../../sandbox/control.ts'
import { azuread } from '../../../../sandbox/pulumi/plugins/azuread/package.ts'
import { cloudflare } from '../../../../sandbox/pulumi/plugins/cloudflare/package.ts'
import { github } from '../../../../sandbox/pulumi/plugins/github/package.ts'
import { createProvider, type Provider } from '../../../../sandbox/pulumi/plugins/provider.ts'
import type { Properties } from '../../../../sandbox/pulumi/properties.ts'
import { type FullDescription, type Sandbox, startSandbox } from '../../../../sandbox/sandbox.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

/** A sandbox with every service, and the three providers configured for it. */
export interface Fixture {
  readonly sandbox: Sandbox<FullDescription>
  readonly cloudflare: Provider
  readonly azuread: Provider
  readonly github: Provider
  /** Lists the requests to the DNS service since the journal was cleared: method, and path after the version. */
  requests(): string[]
  readonly control: Control
}

/** Starts the sandbox before the tests of a file and stops it after them. */
export function useServices(): () => Fixture {
  let fixture: Fixture | undefined
  let folder = ''
  beforeAll(async () => {
    folder = temporaryFolder()
    fixture = await startFixture(folder)
  })
  afterAll(async () => {
    await fixture?.sandbox.close()
  })
  return () => {
    if (fixture === undefined) throw new Error('The sandbox has not started.')
    return fixture
  }
}

async function startFixture(folder: string): Promise<Fixture> {
  const sandbox = await startSandbox({ entra: { redirectUris: [] }, github: true })
  const { description } = sandbox
  const authority = join(folder, 'authority.pem')
  await writeFile(authority, description.ca)
  sandbox.control.setState({ github: { environments: { dns: {} } } })
  const { deployer, tenantId, metadataHost } = description.entra
  const environment = {
    CLOUDFLARE_BASE_URL: description.cloudflare.apiUrl,
    CLOUDFLARE_API_TOKEN: description.cloudflare.adminToken,
    ARM_METADATA_HOSTNAME: metadataHost,
    ARM_TENANT_ID: tenantId,
    ARM_CLIENT_ID: deployer.clientId,
    ARM_CLIENT_SECRET: deployer.clientSecret,
    SSL_CERT_FILE: authority,
    GITHUB_BASE_URL: description.github.baseUrl,
    GITHUB_OWNER: description.github.owner,
    GITHUB_TOKEN: description.github.token,
  }
  const config: Properties = {}
  return {
    sandbox,
    cloudflare: createProvider(cloudflare, config, environment),
    azuread: createProvider(azuread, config, environment),
    github: createProvider(github, config, environment),
    control: sandbox.control,
    requests: () =>
      sandbox.control
        .journal()
        .filter(({ service }) => service === 'cloudflare')
        .map(({ method, path }) => `${method} ${path.replace('/client/v4', '')}`),
  }
}
