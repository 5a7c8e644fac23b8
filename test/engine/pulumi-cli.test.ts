import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NoPulumi, pulumiCli, pulumiVersion } from '../../tools/pulumi-cli.ts'
import { searchPath } from '../../tools/pulumi-project.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-cli-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Creates an environment with these executables, by name, and an empty cache. */
async function machine(executables: Readonly<Record<string, string>>): Promise<NodeJS.ProcessEnv> {
  const bin = join(folder, 'bin')
  await mkdir(bin, { recursive: true })
  for (const [name, script] of Object.entries(executables)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(bin, name), 0o755)
  }
  return { PATH: bin, XDG_CACHE_HOME: join(folder, 'cache') }
}

const saysVersion = (version: string) => `echo v${version}`
/** Writes an executable to the argument after -o, as the compiler does. */
const compiler = 'while [ "$1" != -o ]; do shift; done; echo "#!/bin/sh" > "$2"; /bin/chmod +x "$2"'

describe('the CLI', () => {
  it('is the one on PATH if it has the pinned version', async () => {
    const environment = await machine({ pulumi: saysVersion(pulumiVersion) })
    expect(await pulumiCli(() => undefined, environment)).toBe(join(folder, 'bin/pulumi'))
  })

  it('is built once, outside the repository, if the one on PATH has another version', async () => {
    const environment = await machine({ pulumi: saysVersion('3.1.0'), go: compiler })
    const lines: string[] = []
    const built = join(folder, 'cache/homeport', `pulumi-${pulumiVersion}/pulumi`)
    expect(await pulumiCli(line => lines.push(line), environment)).toBe(built)
    expect(lines.join('\n')).toMatch(/is Pulumi 3\.1\.0, but .* is needed.*\n.*Building Pulumi/)
    const again = await machine({ go: 'exit 1' })
    expect(await pulumiCli(() => undefined, again)).toBe(built)
  })

  it('is reported as missing, with what to install, if there is no Go either', async () => {
    const missing = pulumiCli(() => undefined, await machine({}))
    await expect(missing).rejects.toThrow(NoPulumi)
    await expect(missing).rejects.toThrow(/Install Pulumi .* or Go/)
  })

  it('leaves nothing behind if it does not build', async () => {
    const environment = await machine({ go: 'echo no network >&2; exit 1' })
    await expect(pulumiCli(() => undefined, environment)).rejects.toThrow(/could not build[\s\S]*no network/)
    await expect(pulumiCli(() => undefined, environment)).rejects.toThrow(NoPulumi)
  })

  it('uses the language host beside it, or else the one of the sandbox', async () => {
    const own = 'sandbox/pulumi/language-host/bin'
    await machine({ pulumi: saysVersion(pulumiVersion) })
    expect(searchPath(join(folder, 'bin/pulumi'))).toContain(own)
    await machine({ 'pulumi-language-nodejs': 'exit 1' })
    expect(searchPath(join(folder, 'bin/pulumi'))).not.toContain(own)
  })
})
