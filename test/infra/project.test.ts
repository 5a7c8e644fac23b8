import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readText } from './support/golden.ts'

describe('the project', () => {
  it('refreshes the state before every update', () => {
    const project = parse(readText('Pulumi.yaml'))
    expect(project).toMatchObject({
      name: 'homeport',
      main: 'infra/index.js',
      options: { refresh: 'always' },
    })
    expect(project.runtime).toEqual({ name: 'nodejs', options: { typescript: false, packagemanager: 'npm' } })
    // With a schema the CLI would stop at the first missing key.
    expect(project).not.toHaveProperty('config')
  })

  it('pins the exact version of the engine and its providers', () => {
    const { dependencies, optionalDependencies, devDependencies } = JSON.parse(readText('package.json'))
    const pinned = Object.entries<string>({
      ...dependencies,
      ...optionalDependencies,
      ...devDependencies,
    }).filter(([name]) => /^(@pulumi\/|@grpc\/|google-protobuf)/.test(name))
    expect(pinned.length).toBeGreaterThan(5)
    for (const [name, version] of pinned) expect(version, name).toMatch(/^\d+\.\d+\.\d+$/)
    const pack = JSON.parse(readText('infra/policy/package.json'))
    expect(pack.dependencies['@pulumi/policy']).toBe(Object.fromEntries(pinned)['@pulumi/policy'])
  })
})
