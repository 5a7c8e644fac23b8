import { createServer } from 'node:http'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { EmbeddedStack, type StackRun } from '../../sandbox/pulumi/engine/stack.ts'
import { resourceProvider } from '../../sandbox/pulumi/resource-provider.ts'
import { root } from '../../tools/bundle.ts'
import { deployerEnvironment } from '../../tools/pulumi-project.ts'
import type { DeployedStack, Outputs } from './deployed-stack.ts'
import { configurationFor, keyed, program, stackName } from './deployment.ts'
import type { Services } from './engine/services.ts'
import { listen } from './listen.ts'

/** Creates the stack in this process with these secrets besides its own, and a `pulumi` on PATH that asks it. */
export async function embeddedStack(
  services: Services,
  secrets: Readonly<Record<string, string>> = {},
): Promise<DeployedStack> {
  const { cloudflare, entra } = services.sandbox.description
  const configuration = await configurationFor(services)
  const stack = new EmbeddedStack({
    program,
    name: stackName,
    config: configuration.config,
    secrets: { ...configuration.secrets, ...keyed(secrets) },
    provider: resourceProvider(
      {
        cloudflare: { baseUrl: cloudflare.apiUrl, apiToken: cloudflare.adminToken },
        azuread: { metadataHost: entra.metadataHost, tenantId: entra.tenantId, ...entra.deployer },
      },
      { SSL_CERT_FILE: services.authority },
    ),
    environment: { CLOUDFLARE_API_TOKEN: cloudflare.adminToken },
  })
  // For `bin/pulumi`.
  const server = createServer(async (request, response) => {
    response.end(JSON.stringify(answer(stack, JSON.parse(await text(request)))))
  })
  const url = await listen(server)
  return {
    engine: 'the embedded engine, which npm run drift asks through test/support/bin/pulumi',
    name: stackName,
    directory: root,
    environment: {
      PATH: [join(import.meta.dirname, 'bin'), dirname(process.execPath)].join(delimiter),
      EMBEDDED_ENGINE: `${url}/`,
      ...deployerEnvironment(services.sandbox.description, services.authority),
    },
    async configure(changes) {
      stack.config = { ...stack.config, ...keyed(changes) }
    },
    async up() {
      const run = await stack.up()
      if (!run.succeeded) throw new Error(messagesOf(run))
      return outputsOf(stack)
    },
    secretOutputs: async () => JSON.stringify(stack.outputs.value),
    async destroy() {
      await stack.destroy()
    },
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
}

function messagesOf({ log }: StackRun): string {
  return log.map(({ severity, message }) => `${severity}: ${message}\n`).join('')
}

/** Answers the commands that `npm run drift` runs, from the state of the stack. */
function answer(stack: EmbeddedStack, args: readonly string[]) {
  const asked = args.join(' ')
  const is = (command: string) => asked.startsWith(command)
  if (is('stack --show-name')) return { status: 0, output: `${stack.name}\n` }
  if (is('config --json')) return { status: 0, output: JSON.stringify(configOf(stack)) }
  if (is('stack export')) return { status: 0, output: JSON.stringify(stack.export()) }
  return { status: 1, output: `The embedded engine does not support pulumi ${asked}.\n` }
}

function outputsOf({ outputs: { value, secretPaths } }: EmbeddedStack): Outputs {
  const plain = Object.entries(value).map(([name, output]) => [name, String(output)])
  return Object.fromEntries([...plain, ...secretPaths.map(path => [path, '[secret]'])])
}

function configOf({ config, secrets }: EmbeddedStack): object {
  const plain = Object.entries(config).map(([key, value]) => [key, { value, secret: false }])
  return Object.fromEntries([...plain, ...Object.keys(secrets).map(key => [key, { secret: true }])])
}
