import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
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
    const versions = { ...product.devDependencies, ...product.dependencies }
    const shared = Object.entries(sandbox.devDependencies).filter(([name]) => name in versions)
    expect(shared.length).toBeGreaterThan(5)
    expect(shared).toEqual(shared.map(([name]) => [name, versions[name]]))
  })
})
