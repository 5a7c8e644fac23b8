import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { inputNames } from '../../action/inputs/table.ts'
import { variableOf } from '../../lib/settings/table.ts'
import { rows as pushRows } from '../../push/settings.ts'
import { nodeTable } from '../../src/node/settings.ts'
import { table as handlerTable } from '../../src/settings/table.ts'
import { root } from '../../tools/bundle.ts'

interface ComposeService {
  readonly image?: string
  readonly build?: { readonly target: string }
  readonly environment?: Readonly<Record<string, unknown>>
}

/** What each image takes from its environment. The command also takes the folder of systemd's credentials. */
const environments: Readonly<Record<string, readonly string[]>> = {
  homeport: ['CREDENTIALS_DIRECTORY', ...inputNames.map(name => `HOMEPORT_${variableOf(name)}`)],
  'homeport-sign-in': Object.keys({ ...handlerTable, ...nodeTable }),
  'homeport-push': pushRows.map(([name]) => name),
}

/** Reads the compose files: the variables that each service sets, and those that .env has to have. */
const composeFiles = ['updater.yaml', 'protected.yaml'].map(file =>
  readFileSync(join(root, 'docs/compose', file), 'utf8'),
)

/** The one that the README has a reader paste. */
const pasted = /```yaml\n(services:[^`]*)```/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? ''

/** `OWNER` until the first release. */
const owner = /ghcr\.io\/([^/]+)\//.exec(composeFiles.join())?.[1]

describe('the compose files', () => {
  it.each(Object.keys(environments))('set only what the program of %s reads', name => {
    const services = [...composeFiles, pasted].flatMap(text =>
      Object.values<ComposeService>(parse(text).services),
    )
    const ours = services.filter(
      ({ image, build }) =>
        (image?.split(':')[0] ?? build?.target) === (image ? `ghcr.io/${owner}/${name}` : name),
    )
    const set = ours.flatMap(({ environment = {} }) => Object.keys(environment))
    const known = (variable: string) => environments[name]?.includes(variable.replace(/_FILE$/, ''))
    expect(set.filter(variable => !known(variable))).toEqual([])
    if (name !== 'homeport-push') expect(set).not.toEqual([])
  })

  it('are filled from .env by what the same programs call it', () => {
    const example = readFileSync(join(root, 'docs/compose/.env.example'), 'utf8')
    const given = [...example.matchAll(/^(\w+)=/gm)].map(([, name]) => name ?? '')
    const used = composeFiles.flatMap(text => [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? ''))
    expect(new Set(given)).toEqual(new Set(used))
    const own = ['HOMEPORT_VERSION', 'PUBLIC_HOST']
    const known = Object.values(environments).flat()
    expect(given.filter(name => !own.includes(name) && !known.includes(name))).toEqual([])
  })
})
