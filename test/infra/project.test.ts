import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { readText } from './support/golden.ts'

it('the project refreshes the state before every update, and lets the program read its own keys', () => {
  const project = parse(readText('Pulumi.yaml'))
  expect(project).toMatchObject({ name: 'homeport', options: { refresh: 'always' } })
  // With a schema the CLI would stop at the first missing key.
  expect(project).not.toHaveProperty('config')
})

it('the policies have the versions of the program', () => {
  const { dependencies } = JSON.parse(readText('package.json'))
  for (const [name, version] of Object.entries(
    JSON.parse(readText('infra/policy/package.json')).dependencies,
  ))
    expect(dependencies[name], name).toBe(version)
})
