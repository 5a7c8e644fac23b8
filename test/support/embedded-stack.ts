import { createServer } from 'node:http'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ProgramRun } from '../../sandbox/pulumi/engine/engine.ts'
import { EmbeddedStack } from '../../sandbox/pulumi/engine/stack.ts'
import { resourceProvider } from '../../sandbox/pulumi/resource-provider.ts'
import { deployerEnvironment } from '../../tools/pulumi-project.ts'
import { configurationFor, keyed, program, stackName } from './deployment.ts'
import type { Services } from './engine/services.ts'
import { listen } from './listen.ts'

/** Creates the stack in this process with these secrets besides its own, and a `pulumi` on PATH that asks it. */
export async function embeddedStack(services: Services, secrets: Readonly<Record<string, string>> = {}) {
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
    name: stackName,
    /** Of an operator's command, so that it finds the CLI and the credentials. */
    environment: {
      PATH: [join(import.meta.dirname, 'bin'), dirname(process.execPath)].join(delimiter),
      EMBEDDED_ENGINE: `${url}/`,
      ...deployerEnvironment(services.sandbox.description, services.authority),
    },
    /** Sets keys of the program's configuration. */
    async configure(changes: Readonly<Record<string, string>>) {
      stack.config = { ...stack.config, ...keyed(changes) }
    },
    /** Deploys everything that is declared. @throws Error with what the engine reported */
    async up(): Promise<void> {
      const run = await stack.up()
      if (!run.succeeded) throw new Error(messagesOf(run))
    },
    close: () => new Promise<void>(resolve => server.close(() => resolve())),
  }
}

function messagesOf({ log }: ProgramRun): string {
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

function configOf({ config, secrets }: EmbeddedStack): object {
  const plain = Object.entries(config).map(([key, value]) => [key, { value, secret: false }])
  return Object.fromEntries([...plain, ...Object.keys(secrets).map(key => [key, { secret: true }])])
}
