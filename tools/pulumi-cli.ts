import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { root } from './bundle.ts'
import { cacheFolder } from './cache.ts'
import { findProgram, isExecutable } from './find-program.ts'
import { threeTimes } from './three-times.ts'

const run = promisify(execFile)

/** The version of the CLI. The SDK in package.json is pinned to the same one. */
export const pulumiVersion = '3.259.0'

const commandPackage = 'github.com/pulumi/pulumi/pkg/v3/cmd/pulumi'
const versionVariable = 'github.com/pulumi/pulumi/sdk/v3/go/common/version.Version'
/** A cold build on two cores took five minutes. */
const buildTimeoutMs = 40 * 60 * 1000
const maxBuildOutputBytes = 16 * 1024 * 1024

const fix = `Install Pulumi ${pulumiVersion} (https://www.pulumi.com/docs/install/) or Go 1.26, and put it on PATH.`

/** The CLI could be neither found nor built. The message says what to install. */
export class NoPulumi extends Error {
  override readonly name = 'NoPulumi'
}

const onPath = (name: string, { PATH = '' }: NodeJS.ProcessEnv): Promise<string | undefined> =>
  findProgram(name, PATH.split(delimiter))

/** Returns the version that a CLI reports, without the leading v. */
async function versionOf(file: string, environment: NodeJS.ProcessEnv): Promise<string> {
  // It writes to its home folder even to print its version.
  const home = await mkdtemp(join(await cacheFolder(environment), 'version-'))
  try {
    const env = { ...environment, PULUMI_HOME: home, PULUMI_SKIP_UPDATE_CHECK: 'true' }
    return (await run(file, ['version'], { env })).stdout.trim().replace(/^v/, '')
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** Returns the folder for the CLI, and creates it. */
async function buildFolder(environment: NodeJS.ProcessEnv): Promise<string> {
  const folder = join(await cacheFolder(environment), `pulumi-${pulumiVersion}`)
  await mkdir(folder, { recursive: true })
  return folder
}

/** Builds the CLI that `tools/pulumi` pins. The rename keeps others from running an unfinished file. */
async function build(go: string, target: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const unfinished = `${target}.${process.pid}`
  const flags = `-s -w -X ${versionVariable}=${pulumiVersion}`
  const args = ['build', '-trimpath', '-buildvcs=false', '-ldflags', flags, '-o', unfinished, commandPackage]
  try {
    const env = { ...environment, CGO_ENABLED: '0' }
    // Go fetches the modules, and keeps what it has compiled.
    await threeTimes(() =>
      run(go, args, {
        cwd: join(root, 'tools/pulumi'),
        env,
        timeout: buildTimeoutMs,
        maxBuffer: maxBuildOutputBytes,
      }),
    )
    await rename(unfinished, target)
  } catch (cause) {
    await rm(unfinished, { force: true })
    throw new NoPulumi(`Go could not build Pulumi ${pulumiVersion}: ${(cause as Error).message} ${fix}`, {
      cause,
    })
  }
}

/**
 * Returns the path of the CLI: the one on PATH if it has the pinned version, else the one built earlier.
 * @param say receives progress messages, one line each
 */
async function findPulumi(
  say: (line: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  const present = await onPath('pulumi', environment)
  if (present !== undefined) {
    const version = await versionOf(present, environment)
    if (version === pulumiVersion) return present
    say(`${present} is Pulumi ${version}, but ${pulumiVersion} is needed. Looking further.`)
  }
  const built = join(await buildFolder(environment), 'pulumi')
  return (await isExecutable(built)) ? built : undefined
}

/**
 * Returns the path of an existing CLI, or else of a new build, which takes minutes.
 * @param say receives progress messages, one line each
 * @throws NoPulumi
 */
export async function pulumiCli(
  say: (line: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const found = await findPulumi(say, environment)
  if (found !== undefined) return found
  const go = await onPath('go', environment)
  if (go === undefined) throw new NoPulumi(`Neither Pulumi ${pulumiVersion} nor Go is on PATH. ${fix}`)
  const folder = await buildFolder(environment)
  const target = join(folder, 'pulumi')
  say(`Building Pulumi ${pulumiVersion} with ${go}, into ${folder}. This takes a few minutes, once.`)
  await build(go, target, environment)
  return target
}

async function main(): Promise<void> {
  try {
    process.stdout.write(`${await pulumiCli(line => process.stderr.write(`${line}\n`))}\n`)
  } catch (error) {
    if (!(error instanceof NoPulumi)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
