import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from '../bundle.ts'
import { ReleaseError } from './prepare.ts'

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, string>>
  readonly 'working-directory'?: string
}

/** What a rehearsal left at its copy of GitHub. */
export interface Rehearsed {
  readonly releases: Readonly<Record<string, { readonly draft: boolean; readonly assets: readonly string[] }>>
  readonly tags: readonly string[]
}

export interface RehearsalOptions {
  readonly tag: string
  readonly print: (line: string) => void
  /** Changes the clone before it is tagged, or its remote before it publishes. For tests. */
  readonly before?: Readonly<Record<string, (folders: { clone: string; remote: string }) => Promise<void>>>
}

/**
 * Walks through the release workflow on a clone, offline: the same steps in the same order, with a copy of `gh` that
 * writes to a folder. Nothing leaves this machine and the repository is not changed.
 * @throws ReleaseError if a step fails
 */
export async function rehearseRelease({ tag, print, before = {} }: RehearsalOptions): Promise<Rehearsed> {
  const work = await mkdtemp(join(tmpdir(), 'homeport-release-'))
  const [remote, clone, machine] = [join(work, 'remote.git'), join(work, 'clone'), join(work, 'publish')]
  try {
    await run('git', ['clone', '--quiet', '--bare', root, remote], work)
    await run('git', ['clone', '--quiet', remote, clone], work)
    // Hard links where the file system has them. A symbolic link would change the paths in the bundle.
    const packages = [join(root, 'node_modules'), join(clone, 'node_modules')]
    await run('cp', ['-al', ...packages], work).catch(() => run('cp', ['-a', ...packages], work))
    // A commit can be rehearsed before it is merged.
    await run('git', ['push', '--quiet', '--force', 'origin', 'HEAD:refs/heads/main'], clone)
    await before['tag']?.({ clone, remote })
    await run('git', ['tag', '--force', tag], clone)
    await run('git', ['push', '--quiet', '--force', 'origin', tag], clone)
    const sha = (await run('git', ['rev-parse', 'HEAD'], clone)).trim()
    print(
      `Rehearsing ${tag} at ${sha.slice(0, 12)}, as if it were merged. Changes that are not committed are left out.`,
    )

    const gh = join(work, 'gh')
    await writeFile(gh, `#!/bin/sh\nexec "${process.execPath}" "${import.meta.dirname}/gh.ts" "$@"\n`)
    await chmod(gh, 0o755)
    const { jobs } = parse(await readFile(join(root, '.github/workflows/release.yml'), 'utf8'))
    const known: Readonly<Record<string, string>> = {
      'github.ref_name': tag,
      'github.sha': sha,
      'github.repository': 'owner/homeport',
      'github.token': 'rehearsal',
    }
    for (const [job, cwd] of [
      ['prepare', clone],
      ['publish', machine],
    ] as const) {
      if (job === 'publish') await before['publish']?.({ clone, remote })
      for (const step of jobs[job].steps as Step[]) {
        await rehearse(step, { cwd, known, clone, machine, work, remote, print })
      }
    }
    const names = jobs['images'].strategy.matrix.image as readonly string[]
    const knownOfImages = { ...known, 'github.repository_owner': 'owner', 'needs.build.outputs.tag': tag }
    showImages('The image', names, jobs['images'].steps, knownOfImages, print)
    const rebuild = parse(await readFile(join(root, '.github/workflows/rebuild-images.yml'), 'utf8')).jobs
    showImages('Every week, if it changed, the image', names, rebuild['publish'].steps, knownOfImages, print)
    return JSON.parse(await run(gh, ['rehearsed'], work, { REHEARSAL: work }))
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

interface Stage {
  readonly cwd: string
  readonly known: Readonly<Record<string, string>>
  readonly clone: string
  readonly machine: string
  readonly work: string
  readonly remote: string
  readonly print: (line: string) => void
}

async function rehearse(step: Step, stage: Stage): Promise<void> {
  const { cwd, clone, machine, work, print } = stage
  const action = step.uses?.replace(/@.*/, '')
  if (action === 'actions/download-artifact') {
    print(`  ${action}: copied from the first job`)
    return cp(join(clone, 'build/release'), join(machine, step.with?.['path'] ?? ''), { recursive: true })
  }
  if (step.uses) return print(`  ${action}: only at GitHub`)
  if (step.name === 'Build the images')
    return print(
      `  ${step.name}: left out, it needs root. \`npm test -- --project images\` builds and runs them`,
    )
  if (step.run === 'npm ci') return print('  npm ci: left out, the packages are here')
  print(`  ${step.name ?? step.run}`)
  const env = Object.fromEntries(
    Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluate(value, stage.known)]),
  )
  const folder = join(cwd, step['working-directory'] ?? '')
  // As the runner starts `shell: bash`.
  await run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run ?? ''], folder, {
    ...env,
    REHEARSAL: work,
    PATH: `${work}:${process.env['PATH']}`,
  })
}

/** Prints the commands of a job that pushes each image, which run only at GitHub. */
function showImages(
  title: string,
  images: readonly string[],
  steps: readonly Step[],
  known: Stage['known'],
  print: Stage['print'],
): void {
  for (const image of images) {
    for (const { run: script, env = {} } of steps) {
      if (script === undefined) continue
      print(`  ${title} ${image}: only at GitHub`)
      for (const [name, value] of Object.entries(env)) {
        print(`    ${name}=${evaluate(value, { ...known, 'matrix.image': image })}`)
      }
      for (const line of script.trim().split('\n')) print(`    ${line}`)
    }
  }
}

function evaluate(value: string, known: Readonly<Record<string, string>>): string {
  return value.replaceAll(/\$\{\{ ([\w.]+) \}\}/g, (_, name: string) => {
    const found = known[name]
    if (found === undefined) throw new ReleaseError(`The rehearsal does not know \${{ ${name} }}.`)
    return found
  })
}

async function run(program: string, args: readonly string[], cwd: string, env = {}): Promise<string> {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', chunk => {
    output.out += chunk
  })
  child.stderr.setEncoding('utf8').on('data', chunk => {
    output.err += chunk
  })
  const [status] = await once(child, 'close')
  if (status === 0) return output.out
  throw new ReleaseError(`${output.out}${output.err}`.trim() || `${program} ended with status ${status}.`)
}
