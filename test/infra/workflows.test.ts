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
  readonly 'timeout-minutes'?: number
  readonly permissions: unknown
  readonly steps: readonly Step[]
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly jobs: Readonly<Record<string, Job>>
}

const read = (name: string) => readText(`.github/workflows/infra-${name}.yml`)
const workflow = (name: string): Workflow => parse(read(name))
const [proposed, deployed, drift] = [workflow('pull-request'), workflow('deploy'), workflow('drift')]
const privileged = [
  ['preview', deployed.jobs['preview']],
  ['up', deployed.jobs['up']],
  ['the preview of drift', drift.jobs['preview']],
  ['drift', drift.jobs['drift']],
] as const
const commandsOf = (steps: readonly Step[] = []) =>
  steps.flatMap(({ run }) => (run === undefined ? [] : [run]))
const isPulumi = (command: string | undefined) =>
  /\b(pulumi (preview|up)|npm run -s drift)\b/.test(command ?? '')
const pulumiStep = (steps: readonly Step[] = []) => steps.find(({ run }) => isPulumi(run))

describe('the workflows of the infrastructure', () => {
  it('give a pull request no credentials', () => {
    expect(Object.keys(proposed.on)).toEqual(['pull_request'])
    expect(read('pull-request')).not.toMatch(/secrets\.|id-token|environment:/)
    expect(proposed.jobs['graph']?.permissions).toEqual({ contents: 'read' })
    expect(commandsOf(proposed.jobs['graph']?.steps).join('\n')).toMatch(
      /--project infra[\s\S]*demo -- infra\n/,
    )
  })

  it('deploy only main, behind an environment, with a preview first, and migrate before the new Worker', () => {
    expect(deployed.on).toMatchObject({ push: { branches: ['main'] } })
    expect(deployed.jobs['preview']?.environment).toBe('infra')
    expect(deployed.jobs['up']).toMatchObject({ environment: 'infra', needs: 'preview' })
    // Pulumi ignores SIGTERM while a call is outstanding.
    expect(pulumiStep(deployed.jobs['preview']?.steps)?.run).toMatch(
      /^timeout --signal=KILL 12m pulumi preview --run-program .*--policy-pack infra\/policy/,
    )
    expect(pulumiStep(deployed.jobs['up']?.steps)?.run).toMatch(
      /^npm run -s after-up -- --before\npulumi up --run-program --yes .*--policy-pack infra\/policy\n#.*\nnpm run -s after-up -- --before\n$/,
    )
  })

  it('look for drift every night without an engine, a passphrase, a package or what can write', () => {
    expect(drift.on).toHaveProperty('schedule')
    const job = drift.jobs['drift']
    expect(job?.environment).toBe('infra-drift')
    expect(commandsOf(job?.steps)).toEqual([
      expect.stringMatching(/\| curl .*--header @- "\$ACTIONS_ID_TOKEN_REQUEST_URL/),
      'npm run -s drift -- --issue',
    ])
    expect(JSON.stringify(job)).not.toMatch(/PASSPHRASE|vars\.ARM_CLIENT_ID/)
    expect(pulumiStep(job?.steps)?.env?.['AZURE_CLIENT_ID']).toMatch(
      /^\$\{\{ vars\.ARM_DRIFT_CLIENT_ID \}\}$/,
    )
    expect(read('drift')).not.toMatch(/pulumi (up|refresh|destroy)/)
  })

  it('preview drift only by hand, where the passphrase is, and once a reviewer approves', () => {
    const { build, preview } = drift.jobs
    expect(build?.if).toMatch(/github\.event_name == 'workflow_dispatch' && inputs\.preview/)
    expect(preview).toMatchObject({ environment: 'infra', needs: 'build' })
    const step = pulumiStep(preview?.steps)
    expect(step?.run).toMatch(
      /^pulumi preview --refresh --run-program --expect-no-changes .*--policy-pack infra\/policy$/,
    )
    expect(step?.env?.['CLOUDFLARE_API_TOKEN']).toMatch(/^\$\{\{ secrets\.CLOUDFLARE_READING_TOKEN \}\}$/)
  })

  it('build the Worker in a job without credentials, and hand it over', () => {
    const build = deployed.jobs['build']
    expect(build?.permissions).toEqual({ contents: 'read' })
    expect(build?.environment).toBeUndefined()
    expect(JSON.stringify(build)).not.toMatch(/secrets\./)
    expect(commandsOf(build?.steps)).toEqual(['npm ci', 'npm run build'])
    expect(build?.steps.at(-1)?.with).toMatchObject({ name: 'worker', path: 'build/*worker.*' })
    expect(deployed.jobs['preview']?.needs).toBe('build')
    for (const name of ['preview', 'up']) {
      const { steps = [] } = deployed.jobs[name] ?? {}
      const received = steps.findIndex(({ uses }) => uses?.startsWith('actions/download-artifact@'))
      expect(steps[received]?.with).toEqual({ name: 'worker', path: 'build' })
      expect(received).toBeLessThan(steps.findIndex(({ run }) => isPulumi(run)))
    }
  })

  it.each(privileged.slice(0, 3))(
    'run no install script and no build tool beside the credentials of %s',
    (_, job) => {
      const installs = commandsOf(job?.steps).filter(command => command.startsWith('npm ci'))
      expect(installs).toEqual(['npm ci --omit=dev --ignore-scripts'])
      expect(commandsOf(job?.steps).join('\n')).not.toContain('npm run build')
    },
  )

  it.each(privileged)('use the pinned CLI in %s, and give secrets to one step only', (name, job) => {
    const cli = job?.steps.find(({ uses }) => uses?.startsWith('pulumi/actions@'))
    const { dependencies } = JSON.parse(readText('package.json'))
    expect(cli?.with).toEqual({ 'pulumi-version': dependencies['@pulumi/pulumi'] })
    const issues = name === 'drift' ? { actions: 'read', issues: 'write' } : {}
    expect(job?.permissions).toEqual({ contents: 'read', 'id-token': 'write', ...issues })
    const step = pulumiStep(job?.steps)
    const limit = step?.['timeout-minutes'] ?? (/timeout --signal=KILL (\d+)m/.exec(step?.run ?? '') ?? [])[1]
    expect(Number(limit)).toBeLessThan(job?.['timeout-minutes'] ?? 0)
    const withSecrets = job?.steps.filter(step => JSON.stringify(step).includes('secrets.'))
    expect(withSecrets).toEqual([pulumiStep(job?.steps)])
  })

  it.each(['pull-request', 'deploy', 'drift'])('print no secret in %s', name => {
    /** What prints secrets in plain text, as observed. */
    const printing =
      /\bpulumi\b.*(--(json|event-log|debug|logtostderr|logflow)\b|\s-(d|v=?\d)|\bstack export\b)|--show-secrets|PULUMI_ENABLE_STREAMING_JSON_PREVIEW|PULUMI_DEBUG_|ACTIONS_STEP_DEBUG|TF_LOG/
    expect(read(name)).not.toMatch(printing)
  })

  it('sign in to Entra without a stored secret', () => {
    const environments = privileged.map(([, job]) => pulumiStep(job?.steps)?.env)
    expect(environments[0]).toMatchObject({ ARM_USE_OIDC: 'true', ARM_USE_CLI: 'false' })
    expect(environments[1]).toEqual(environments[0])
    expect(environments[2]).toMatchObject({ ARM_USE_OIDC: 'true', ARM_USE_CLI: 'false' })
    const { HOMEPORT_ISSUE_TOKEN: issueToken, AZURE_FEDERATED_TOKEN_FILE: identity } = environments[3] ?? {}
    expect(identity).toMatch(/^\$\{\{ runner\.temp \}\}\/identity$/)
    expect(issueToken).toMatch(/^\$\{\{ github\.token \}\}$/)
    expect(JSON.stringify(environments)).not.toMatch(
      /ARM_CLIENT_SECRET|AZURE_STORAGE_KEY|PULUMI_ACCESS_TOKEN/,
    )
  })
})
