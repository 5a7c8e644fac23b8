import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readText } from './support/golden.ts'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, string>>
  readonly 'timeout-minutes'?: number
}

interface Job {
  readonly environment?: string
  readonly needs?: string
  readonly if?: string
  readonly 'timeout-minutes': number
  readonly permissions: unknown
  readonly steps: readonly Step[]
}

const read = (name: string) => readText(`.github/workflows/infra-${name}.yml`)
const triggersOf = (name: string): object => parse(read(name)).on
const isPulumi = ({ run = '' }: Step) => /\b(pulumi (preview|up)|npm run -s drift)\b/.test(run)

/** Returns a job of a workflow, with its commands, and the step that previews, deploys or compares. */
function jobOf(workflow: string, name: string) {
  const job: Job = parse(read(workflow)).jobs[name]
  const commands = job.steps.flatMap(({ run }) => (run === undefined ? [] : [run]))
  return { ...job, commands, step: job.steps.find(isPulumi) }
}

const build = jobOf('deploy', 'build')
const [preview, up] = [jobOf('deploy', 'preview'), jobOf('deploy', 'up')]
const [drift, driftPreview] = [jobOf('drift', 'drift'), jobOf('drift', 'preview')]
const privileged = [
  ['preview', preview],
  ['up', up],
  ['the preview of drift', driftPreview],
  ['drift', drift],
] as const

describe('the workflows of the infrastructure', () => {
  it('give a pull request no credentials, and judge it by the policies of main', () => {
    const text = readText('.github/workflows/ci.yml')
    expect(text).not.toMatch(/secrets\.|id-token|environment:/)
    const { policies } = parse(text).jobs as { readonly policies: Job }
    expect(policies.permissions).toEqual({ contents: 'read' })
    const checkouts = policies.steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
    expect(checkouts.map(one => one.with)).toEqual([
      { ref: 'main', 'persist-credentials': false },
      { path: 'proposed', 'persist-credentials': false },
    ])
    // In the tree of main: nothing of the pull request but its program.
    const commands = policies.steps.flatMap(({ run }) => run ?? [])
    expect(commands).toEqual(['npm ci', 'npm run -s demo -- infra --tree proposed'])
  })

  it('deploy only main, behind an environment, with a preview first, and migrate before the new Worker', () => {
    expect(triggersOf('deploy')).toMatchObject({ push: { branches: ['main'] } })
    expect(preview.environment).toBe('infra')
    expect(up).toMatchObject({ environment: 'infra', needs: 'preview' })
    // Pulumi ignores SIGTERM while a call is outstanding.
    expect(preview.step?.run).toMatch(/^timeout --signal=KILL 12m pulumi preview /)
    expect(up.step?.run).toMatch(
      /^npm run -s after-up -- --before\npulumi up --yes .*\n#.*\nnpm run -s after-up -- --before\n$/,
    )
  })

  it('look for drift every night without an engine, a passphrase, a package or what can write', () => {
    expect(triggersOf('drift')).toHaveProperty('schedule')
    expect(drift.environment).toBe('infra-drift')
    expect(drift.commands).toEqual([
      expect.stringMatching(/\| curl .*--header @- "\$ACTIONS_ID_TOKEN_REQUEST_URL/),
      'npm run -s drift -- --issue',
    ])
    expect(JSON.stringify(drift)).not.toMatch(/PASSPHRASE|vars\.ARM_CLIENT_ID/)
    expect(drift.step?.env?.['AZURE_CLIENT_ID']).toMatch(/^\$\{\{ vars\.ARM_DRIFT_CLIENT_ID \}\}$/)
    expect(read('drift')).not.toMatch(/pulumi (up|refresh|destroy)/)
  })

  it('preview drift only by hand, where the passphrase is, and once a reviewer approves', () => {
    expect(jobOf('drift', 'build').if).toMatch(/github\.event_name == 'workflow_dispatch' && inputs\.preview/)
    expect(driftPreview).toMatchObject({ environment: 'infra', needs: 'build' })
    expect(driftPreview.step?.run).toMatch(/^pulumi preview --refresh --expect-no-changes /)
    const variables = { PULUMI_RUN_PROGRAM: 'true', PULUMI_OPTION_POLICY_PACK: 'infra/policy' }
    expect(parse(read('deploy')).env).toMatchObject(variables)
    expect(driftPreview.step?.env).toMatchObject(variables)
    expect(driftPreview.step?.env?.['CLOUDFLARE_API_TOKEN']).toMatch(
      /^\$\{\{ secrets\.CLOUDFLARE_READING_TOKEN \}\}$/,
    )
  })

  it('build the Worker in a job without credentials', () => {
    expect(build.permissions).toEqual({ contents: 'read' })
    expect(build.environment).toBeUndefined()
    expect(JSON.stringify(build)).not.toMatch(/secrets\./)
    expect(build.commands).toEqual(['npm ci', 'npm run build'])
  })

  it.each(privileged.slice(0, 3))(
    'run no install script and no build tool beside the credentials of %s',
    (_, { commands }) => {
      const installs = commands.filter(command => command.startsWith('npm ci'))
      expect(installs).toEqual(['npm ci --omit=dev --ignore-scripts'])
      expect(commands.join('\n')).not.toContain('npm run build')
    },
  )

  it.each(privileged)('use the pinned CLI in %s, and give secrets to one step only', (name, job) => {
    const cli = job.steps.find(({ uses }) => uses?.startsWith('pulumi/actions@'))
    const { dependencies } = JSON.parse(readText('package.json'))
    expect(cli?.with).toEqual({ 'pulumi-version': dependencies['@pulumi/pulumi'] })
    const issues = name === 'drift' ? { actions: 'read', issues: 'write' } : {}
    expect(job.permissions).toEqual({ contents: 'read', 'id-token': 'write', ...issues })
    const [, killedAfter] = /timeout --signal=KILL (\d+)m/.exec(job.step?.run ?? '') ?? []
    expect(Number(job.step?.['timeout-minutes'] ?? killedAfter)).toBeLessThan(job['timeout-minutes'])
    expect(job.steps.filter(step => JSON.stringify(step).includes('secrets.'))).toEqual([job.step])
  })

  it('sign in to Entra without a stored secret', () => {
    const own = { ARM_USE_OIDC: 'true', ARM_USE_CLI: 'false' }
    for (const { step } of [preview, up, driftPreview]) expect(step?.env).toMatchObject(own)
    expect(up.step?.env).toEqual(preview.step?.env)
    expect(drift.step?.env?.['AZURE_FEDERATED_TOKEN_FILE']).toMatch(/^\$\{\{ runner\.temp \}\}\/identity$/)
    expect(drift.step?.env?.['HOMEPORT_ISSUE_TOKEN']).toMatch(/^\$\{\{ github\.token \}\}$/)
    expect(JSON.stringify(privileged)).not.toMatch(/ARM_CLIENT_SECRET|AZURE_STORAGE_KEY|PULUMI_ACCESS_TOKEN/)
  })
})
