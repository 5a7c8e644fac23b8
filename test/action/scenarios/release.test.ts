import { execFile } from 'node:child_process'
import { cp, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import { parse } from 'yaml'
import { bundle } from '../../support/command.ts'
import { after, before, type Stage, scenario } from '../../support/stage.ts'

const dist = dirname(bundle)
const root = join(dist, '../..')

/** Copies files of the repository to a folder outside it. */
async function copyTo(folder: string, ...files: readonly string[]) {
  for (const file of files) await cp(join(root, file), join(folder, file), { recursive: true })
}

/** Returns the inputs of the step in the README's first workflow, with its secrets and variables filled in. */
async function inputsOfReadme({ cloudflare }: Stage['description']) {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const workflow = parse(/```yaml\n(on:.*?)```/s.exec(readme)?.[1] ?? '')
  const [step] = workflow.jobs.dns.steps
  const values: Readonly<Record<string, string>> = {
    'secrets.CLOUDFLARE_DNS_TOKEN': cloudflare.dnsToken,
    'vars.HOMEPORT_ZONE_ID': cloudflare.zoneId,
    'vars.HOMEPORT_HOSTNAME': 'home.example.com',
  }
  const inputs = Object.entries<string>(step.with).map(([name, text]) => [
    name,
    text.replace(/\$\{\{ (.+?) \}\}/g, (_, expression) => values[expression] ?? ''),
  ])
  return { uses: String(step.uses), inputs: Object.fromEntries(inputs) as Record<string, string> }
}

/** Returns the inputs for a run on loopback, where the emulators return documentation addresses. */
const onLoopback = ({ cloudflare, echo }: Stage['description']) => ({
  'base-url': cloudflare.baseUrl,
  'address-sources': echo.join('\n'),
  'allow-reserved-address': 'true',
})

describe('a release', () => {
  scenario('keeps a record correct for the workflow of another repository', async ({ stage, folder }) => {
    const { uses, inputs } = await inputsOfReadme(stage.description)
    expect(uses).toMatch(/^[^./][^/]*\/homeport@/)
    await copyTo(folder, 'action.yml', 'action/dist')
    const step = () => stage.run({ ...inputs, ...onLoopback(stage.description) }, { folder })
    await stage.setRecords({ content: before })
    expect((await step()).outputs).toMatchObject({ result: 'updated', address: after })
    expect(await stage.records()).toMatchObject([{ content: after, ttl: 120, proxied: false }])
    expect((await step()).outputs).toMatchObject({ result: 'unchanged', address: after })
  })

  scenario('keeps a record correct on a host with only Node and the bundle', async ({ stage, folder }) => {
    const { cloudflare } = stage.description
    await copyTo(folder, 'action/dist')
    // The bundle may read nothing else and start no process.
    const node = ['--permission', `--allow-fs-read=${folder}`, join(folder, 'action/dist/index.js')]
    const flags = Object.entries(onLoopback(stage.description)).flatMap(([name, text]) =>
      text.split('\n').flatMap(line => [`--${name}=${line}`]),
    )
    await stage.setRecords({ content: before })
    const required = [`--zone-id=${cloudflare.zoneId}`, '--hostname=home.example.com']
    const { stdout } = await promisify(execFile)(process.execPath, [...node, ...required, ...flags], {
      cwd: folder,
      env: { HOMEPORT_API_TOKEN: cloudflare.dnsToken },
    })
    expect(stdout).toContain(`${before} -> ${after}, updated`)
    expect(await stage.records()).toMatchObject([{ content: after }])
  })
})
