import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { basename, delimiter, dirname, join } from 'node:path'
import type { FullDescription } from '../sandbox/sandbox.ts'
import { root } from './bundle.ts'

/** The result of a command. */
export interface Run {
  readonly status: number | null
  /** Both streams in order of arrival. */
  readonly output: string
}

export interface PulumiProjectOptions {
  /** Path of the CLI. */
  readonly pulumi: string
  /** Holds its home, its state and the project. */
  readonly folder: string
  /** The services that it deploys to. */
  readonly sandbox: FullDescription
  /** File with the certificate authority of the sandbox. */
  readonly authority: string
  /** Whether the services are real, and so are the plugins. */
  readonly isReal?: boolean
}

const commandTimeoutMs = 180_000
export const passphrase = 'correct horse battery staple'

/** Folders of the executables that are found by name. Only a CLI built from Go has no language host beside it. */
export function searchPath(pulumi: string): string {
  const beside = dirname(pulumi)
  const hasHost = existsSync(join(beside, 'pulumi-language-nodejs'))
  return [
    join(root, 'sandbox/pulumi/plugins/bin'),
    ...(hasHost ? [] : [join(root, 'sandbox/pulumi/language-host/bin')]),
    dirname(process.execPath),
    beside,
    process.env['PATH'] ?? '',
  ].join(delimiter)
}

/** The token of a run, beside the certificate authority. The sandbox takes any text in three parts. */
export const identity = { file: 'identity.jwt', text: 'identity.of.run' } as const

/** Returns the credentials with which an operator deploys to a sandbox. */
export function deployerEnvironment(
  { cloudflare, entra, github }: FullDescription,
  authority: string,
): NodeJS.ProcessEnv {
  return {
    SSL_CERT_FILE: authority,
    CLOUDFLARE_API_TOKEN: cloudflare.adminToken,
    ARM_METADATA_HOSTNAME: entra.metadataHost,
    ARM_TENANT_ID: entra.tenantId,
    ARM_CLIENT_ID: entra.deployer.clientId,
    ARM_CLIENT_SECRET: entra.deployer.clientSecret,
    ARM_USE_CLI: 'false',
    // For npm run drift.
    AZURE_FEDERATED_TOKEN_FILE: join(dirname(authority), identity.file),
    AZURE_TENANT_ID: entra.tenantId,
    AZURE_CLIENT_ID: entra.deployer.clientId,
    GITHUB_API_URL: github.baseUrl,
    GITHUB_TOKEN: github.token,
  }
}

/** What a sandbox needs, and real services and plugins do not. */
const realEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  SSL_CERT_FILE: undefined,
  ARM_METADATA_HOSTNAME: undefined,
  PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: undefined,
}

/**
 * The CLI with its own home, state and project folder. The project has a copy of the repository's Pulumi.yaml and links to
 * everything else. The output of commands is stored beside the state.
 */
export class PulumiProject {
  /** Folder of Pulumi.yaml. */
  readonly path: string
  /** The environment of every command. Only PATH comes from this machine. */
  readonly environment: NodeJS.ProcessEnv
  readonly #folder: string
  readonly #pulumi: string
  #commands = 0

  private constructor({ pulumi, folder, sandbox, authority, isReal }: PulumiProjectOptions) {
    this.#pulumi = pulumi
    this.#folder = folder
    this.path = join(folder, 'project')
    this.environment = {
      PATH: searchPath(pulumi),
      HOME: join(folder, 'home'),
      PULUMI_HOME: join(folder, 'home'),
      PULUMI_BACKEND_URL: `file://${join(folder, 'state')}?metadata=skip`,
      PULUMI_CONFIG_PASSPHRASE: passphrase,
      PULUMI_SKIP_UPDATE_CHECK: 'true',
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
      NO_COLOR: '1',
      // As docs/deploy.md has it set for every command.
      PULUMI_RUN_PROGRAM: 'true',
      ...deployerEnvironment(sandbox, authority),
      ...(isReal && realEnvironment),
    }
  }

  static async create(options: PulumiProjectOptions): Promise<PulumiProject> {
    for (const name of ['home', 'state', 'project', 'output']) await mkdir(join(options.folder, name))
    const project = new PulumiProject(options)
    await project.#link()
    return project
  }

  async #link(): Promise<void> {
    await cp(join(root, 'Pulumi.yaml'), join(this.path, 'Pulumi.yaml'))
    for (const name of ['infra', 'lib', 'src', 'build', 'node_modules', 'package.json']) {
      await symlink(join(root, name), join(this.path, name))
    }
  }

  /**
   * Runs a CLI command.
   * @param environment variables that differ from the default; undefined removes one
   * @param started gets the process id
   */
  pulumi(
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
    started: (pid: number) => void = () => undefined,
  ): Promise<Run> {
    return this.run(this.#pulumi, [...args, '--non-interactive'], environment, started)
  }

  /** Runs another program in the project. */
  async run(
    program: string,
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
    started: (pid: number) => void = () => undefined,
  ): Promise<Run> {
    const child = spawn(program, args, {
      cwd: this.path,
      env: { ...this.environment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: commandTimeoutMs,
      killSignal: 'SIGKILL',
    })
    if (child.pid !== undefined) started(child.pid)
    let output = ''
    const collect = (chunk: string) => {
      output += chunk
    }
    child.stdout.setEncoding('utf8').on('data', collect)
    child.stderr.setEncoding('utf8').on('data', collect)
    const status = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    this.#commands += 1
    await writeFile(join(this.#folder, 'output', `${this.#commands}-${basename(args[0] ?? '')}.txt`), output)
    return { status, output }
  }
}
