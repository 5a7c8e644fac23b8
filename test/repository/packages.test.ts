import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

interface Locked extends Partial<Manifest> {
  /** Whether `npm ci --omit=dev` leaves it out. */
  readonly dev?: boolean
}

const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const product: Manifest = read('package.json')
const sandbox: Manifest = read('sandbox/package.json')
const locked: Readonly<Record<string, Locked>> = read('package-lock.json').packages

describe('the packages of the sandbox', () => {
  it('are left out of an installation without development packages, unless the product needs them', () => {
    const installed = Object.keys(sandbox.devDependencies).filter(
      name => locked[`node_modules/${name}`]?.dev !== true,
    )
    expect(installed).toEqual([
      // Pulumi's SDK brings the two for gRPC and the types.
      '@grpc/grpc-js',
      '@pulumi/pulumi',
      '@types/google-protobuf',
      'google-protobuf',
      'oauth4webapi',
    ])
    // A package in `dependencies` of a workspace is always installed.
    expect(sandbox).not.toHaveProperty('dependencies')
  })

  it('have the same versions in both lists', () => {
    const versions = { ...product.devDependencies, ...product.optionalDependencies, ...product.dependencies }
    const shared = Object.entries(sandbox.devDependencies).filter(([name]) => name in versions)
    expect(shared.length).toBeGreaterThan(5)
    expect(shared).toEqual(shared.map(([name]) => [name, versions[name]]))
  })
})

describe('an installation for a record alone', () => {
  it('leaves out the packages for Entra and GitHub, and has the one for Cloudflare', async () => {
    const all = await installed('--omit=dev')
    const few = await installed('--omit=dev', '--omit=optional')
    expect(all).toEqual(expect.arrayContaining([...few]))
    const omitted = all.filter(name => !few.includes(name))
    expect(omitted).toEqual(expect.arrayContaining(['@pulumi/azuread', '@pulumi/github']))
    expect(few).toEqual(expect.arrayContaining(['@pulumi/cloudflare', '@pulumi/policy', '@pulumi/pulumi']))
  })
})

/** Returns the packages that `npm ci` would add to a new clone, by the lock file alone. */
async function installed(...options: readonly string[]): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'homeport-packages-'))
  try {
    for (const path of ['package.json', 'package-lock.json', '.npmrc', 'sandbox/package.json', 'tools']) {
      await cp(join(root, path), join(folder, path), { recursive: true })
    }
    const args = ['ci', '--dry-run', '--offline', '--ignore-scripts', ...options]
    const { stdout } = await promisify(execFile)('npm', args, { cwd: folder })
    return [...stdout.matchAll(/^add (\S+) /gm)].map(([, name = '']) => name).toSorted()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
