import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { debianProgram, librariesOf } from '../debian.ts'

/** Runs buildah with these arguments. Returns its output, and rejects with what it said. */
export type Buildah = (args: readonly string[]) => Promise<string>

const timeoutMs = 5 * 60_000

/**
 * Returns buildah with a storage of its own, so that no image of the machine is used or changed.
 * @param folder where it keeps images
 */
export async function openBuildah(folder: string): Promise<Buildah> {
  const program = await debianProgram('buildah')
  await mkdir(folder)
  // Nothing is fetched, so there are no signatures to check. Without the file, buildah refuses to start.
  const policy = join(folder, 'policy.json')
  await writeFile(policy, '{"default": [{"type": "insecureAcceptAnything"}]}')
  const storage = [
    '--storage-driver',
    'vfs',
    '--root',
    join(folder, 'root'),
    '--runroot',
    join(folder, 'run'),
  ]
  const env = { ...process.env, LD_LIBRARY_PATH: await librariesOf(program) }
  return async args => {
    const command = args.slice(0, args[0] === 'manifest' ? 2 : 1)
    const needsPolicy = ['build', 'from', 'push'].includes(command.at(-1) ?? '')
    const flags = needsPolicy ? ['--signature-policy', policy] : []
    const options = { env, timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024 }
    try {
      const all = [...storage, ...command, ...flags, ...args.slice(command.length)]
      return (await promisify(execFile)(program, all, options)).stdout.trim()
    } catch (cause) {
      const { stderr, message } = cause as Error & { readonly stderr?: string }
      const reason = stderr?.trim().split('\n').at(-1) || message
      throw new Error(`buildah ${command.join(' ')} failed: ${reason}`, { cause })
    }
  }
}
