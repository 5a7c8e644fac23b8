import type { DeployedStack, Outputs } from '../../test/support/deployed-stack.ts'
import { configurationFor, stackName } from '../../test/support/deployment.ts'
import type { Services } from '../../test/support/engine/services.ts'
import { pulumiVersion } from '../../tools/pulumi-cli.ts'
import { PulumiProject } from '../../tools/pulumi-project.ts'

/** Creates the stack with the real CLI. Its provider plugins are the sandbox's. */
export async function cliStack(services: Services, pulumi: string): Promise<DeployedStack> {
  const { folder, authority, sandbox } = services
  const project = await PulumiProject.create({ pulumi, folder, sandbox: sandbox.description, authority })
  async function command(...args: string[]): Promise<string> {
    const { status, output } = await project.pulumi(args)
    if (status !== 0) throw new Error(`pulumi ${args[0]} ended with ${status}:\n${output}`)
    return output
  }
  const run = (...args: string[]) => command(...args, '--stack', stackName)
  async function configure(kind: 'plaintext' | 'secret', values: Readonly<Record<string, string>>) {
    const pairs = Object.entries(values).flatMap(([key, value]) => [`--${kind}`, `${key}=${value}`])
    await run('config', 'set-all', ...pairs)
  }
  await command('stack', 'init', stackName)
  const { config, secrets } = await configurationFor(services)
  await configure('plaintext', config)
  await configure('secret', secrets)
  return {
    engine: `Pulumi ${pulumiVersion}`,
    name: stackName,
    directory: project.path,
    environment: project.environment,
    configure: changes => configure('plaintext', changes),
    async up() {
      await run('up', '--yes', '--skip-preview')
      return JSON.parse(await run('stack', 'output', '--json')) as Outputs
    },
    secretOutputs: () => run('stack', 'output', '--json', '--show-secrets'),
    async destroy() {
      await run('destroy', '--yes', '--skip-preview', '--exclude-protected')
    },
    close: async () => undefined,
  }
}
