import { cp, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { parse } from 'yaml'
import { bundle } from '../../support/command.ts'
import { after, before, type Stage, scenario } from '../../support/stage.ts'

const root = join(dirname(bundle), '../..')

/** Returns the inputs of the step in the README's first workflow, with its secrets and variables filled in. */
async function inputsOfReadme({ cloudflare }: Stage['description']) {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const workflow = parse(/```yaml\n(on:.*?)```/s.exec(readme)?.[1] ?? '')
  const [step] = workflow.jobs.dns.steps
  const values: Readonly<Record<string, string>> = {
    'secrets.CLOUDFLARE_DNS_TOKEN': cloudflare.dnsToken,
    'vars.HOMEPORT_HOSTNAME': 'home.example.com',
  }
  const inputs = Object.entries<string>(step.with).map(([name, text]) => [
    name,
    text.replace(/\$\{\{ (.+?) \}\}/g, (_, expression) => values[expression] ?? ''),
  ])
  return { uses: String(step.uses), inputs: Object.fromEntries(inputs) as Record<string, string> }
}

scenario(
  'a release keeps a record correct for the workflow of another repository',
  async ({ stage, folder }) => {
    const { uses, inputs } = await inputsOfReadme(stage.description)
    expect(uses).toMatch(/^[^./][^/]*\/homeport@/)
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(['api-token', 'hostname']))
    for (const file of ['action.yml', 'action/dist'])
      await cp(join(root, file), join(folder, file), { recursive: true })
    const step = () => stage.run(inputs, { folder })
    await stage.setRecords({ content: before })
    expect((await step()).outputs).toMatchObject({ result: 'updated', address: after })
    expect(await stage.records()).toMatchObject([{ content: after, ttl: 120, proxied: false }])
    expect((await step()).outputs).toMatchObject({ result: 'unchanged', address: after })
  },
)
