import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './bundle.ts'
import { cacheFolder } from './cache.ts'
import { findProgram } from './find-program.ts'
import { installed, installTimeoutMs } from './registry-program.ts'

const run = promisify(execFile)

/** The version of the CLI. The SDK in package.json is pinned to the same one. */
export const pulumiVersion = '3.259.0'

const commandPackage = 'github.com/pulumi/pulumi/pkg/v3/cmd/pulumi'
const versionVariable = 'github.com/pulumi/pulumi/sdk/v3/go/common/version.Version'
const maxBuffer = 16 * 1024 * 1024

/** Returns the version that a CLI reports, without the leading v. */
async function versionOf(file: string): Promise<string> {
  // It writes to its home folder even to print its version.
  const home = await mkdtemp(join(await cacheFolder(), 'version-'))
  try {
    const env = { ...process.env, PULUMI_HOME: home, PULUMI_SKIP_UPDATE_CHECK: 'true' }
    return (await run(file, ['version'], { env })).stdout.trim().replace(/^v/, '')
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/**
 * Returns the path of the CLI: the one on PATH if it has the pinned version, else the one that was built, which takes minutes once.
 * @param say receives progress messages, one line each
 * @throws CommandError that says what to install
 */
export async function pulumiCli(say: (line: string) => void): Promise<string> {
  const present = await findProgram('pulumi', (process.env['PATH'] ?? '').split(delimiter))
  if (present !== undefined) {
    const version = await versionOf(present)
    if (version === pulumiVersion) return present
    say(`${present} is Pulumi ${version}, but ${pulumiVersion} is needed. Looking further.`)
  }
  const needs = `Pulumi ${pulumiVersion} (https://www.pulumi.com/docs/install/) or Go 1.26 on PATH`
  return installed(`pulumi-${pulumiVersion}`, 'pulumi', needs, async work => {
    say(`Building Pulumi ${pulumiVersion} with Go. This takes a few minutes, once.`)
    const flags = `-s -w -X ${versionVariable}=${pulumiVersion}`
    const output = join(work, 'pulumi')
    const args = ['build', '-trimpath', '-buildvcs=false', '-ldflags', flags, '-o', output, commandPackage]
    const env = { ...process.env, CGO_ENABLED: '0' }
    // Go fetches the modules that `tools/pulumi` pins, and keeps what it has compiled.
    const options = { cwd: join(root, 'tools/pulumi'), env, timeout: installTimeoutMs, maxBuffer }
    await run('go', args, options)
    return work
  })
}
