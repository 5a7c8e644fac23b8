import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkTools } from '../../../infra/bootstrap/tools.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { cliVariables, missingIn } from '../support/bootstrap.ts'

it('judges the tools by the first version that they print, and the Node that pulumi will use', async () => {
  const folder = temporaryFolder()
  /** Creates programs that print a text, in a folder of their own. */
  async function programs(place: string, printed: Readonly<Record<string, string>>): Promise<string> {
    const path = join(folder, place)
    await mkdir(path, { recursive: true })
    for (const [name, output] of Object.entries(printed)) {
      await writeFile(join(path, name), `#!/bin/sh\nprintf '%s\\n' '${output}'\n`)
      await chmod(join(path, name), 0o755)
    }
    return path
  }
  const toolsOf = (...path: string[]) => checkTools({ PATH: path.join(':'), ...cliVariables }, true)
  const fromNpm = await programs('project/node_modules/.bin', { node: process.version })
  const az = '{"azure-cli": "2.48.1", "azure-cli-core": "2.61.0"}'
  const old = { node: 'v20.20.2', pulumi: 'v3.100.0', az, gh: 'something else' }
  expect(missingIn(await toolsOf(fromNpm, await programs('old', old)))).toEqual([
    'node on PATH is 20.20.2, and 24.5 or newer is needed.',
    expect.stringMatching(/^pulumi on PATH is 3\.100\.0, and 3\.\d+\.\d+ or newer is needed\.$/),
    'az on PATH is 2.48.1, and 2.60 or newer is needed.',
    'gh on PATH did not print its version, and 2.60 or newer is needed.',
  ])
  const recent = { node: 'v24.10.0', pulumi: 'v10.0.0', gh: 'gh version 2.100.0 (2027-11-06)' }
  expect(await toolsOf(fromNpm, await programs('recent', recent))).toMatchObject([
    { level: 'ok', text: 'node 24.10.0.' },
    { level: 'ok' },
    { level: 'note', text: expect.stringMatching(/^az was not found\./) },
    { level: 'ok', text: 'gh 2.100.0.' },
    { level: 'ok', text: 'PULUMI_RUN_PROGRAM and PULUMI_OPTION_POLICY_PACK are set.' },
  ])
})

it('names what a new terminal lacks for every command of the CLI', async () => {
  const lacking = async (given: NodeJS.ProcessEnv) => (await checkTools({ PATH: '', ...given }, false)).at(-1)
  expect(await lacking({ PULUMI_RUN_PROGRAM: 'false' })).toMatchObject({
    level: 'missing',
    text: "PULUMI_RUN_PROGRAM and PULUMI_OPTION_POLICY_PACK do not have the page's value.",
    fix: 'export PULUMI_RUN_PROGRAM=true PULUMI_OPTION_POLICY_PACK=infra/policy',
  })
  expect(await lacking({ PULUMI_RUN_PROGRAM: 'true' })).toMatchObject({
    level: 'missing',
    fix: 'export PULUMI_OPTION_POLICY_PACK=infra/policy',
  })
})
