import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { cannedProvider } from '../../sandbox/pulumi/engine/canned.ts'
import { type ProgramRun, runProgram } from '../../sandbox/pulumi/engine/engine.ts'
import type { ResourceProvider } from '../../sandbox/pulumi/engine/graph.ts'
import { asProperties, type Json } from '../../sandbox/pulumi/properties.ts'
import type { Marked } from '../../sandbox/pulumi/wire.ts'
import { sessionKeys } from '../support/configuration.ts'
import { readText } from './support/golden.ts'
import { mintingApiToken, pushHash, runStack, withPush } from './support/stacks.ts'

/** Returns the paths that contain one of the secrets without being marked as secret. */
function unmarked({ value, secretPaths }: Marked, secrets: readonly string[]): readonly string[] {
  const visit = (inner: Json, path: string): readonly string[] => {
    if (secretPaths.includes(path)) return []
    if (typeof inner === 'string') return secrets.some(secret => inner.includes(secret)) ? [path] : []
    if (Array.isArray(inner)) return inner.flatMap((one, index) => visit(one, `${path}[${index}]`))
    return Object.entries(asProperties(inner)).flatMap(([key, one]) =>
      visit(one, path === '' ? key : `${path}.${key}`),
    )
  }
  return visit(value, '')
}

function leaks({ graph, outputs, log }: ProgramRun, secrets: readonly string[]): readonly string[] {
  return [
    ...graph.resources.flatMap(({ name, inputs, secretInputs }) =>
      unmarked({ value: inputs, secretPaths: secretInputs }, secrets).map(path => `${name}.${path}`),
    ),
    ...graph.resources.flatMap(({ name, options }) =>
      unmarked({ value: options as Json, secretPaths: [] }, secrets).map(path => `${name}: ${path}`),
    ),
    ...graph.invokes.flatMap(({ token, args }) =>
      unmarked({ value: args, secretPaths: [] }, secrets).map(path => `${token}(${path})`),
    ),
    ...unmarked(outputs, secrets).map(path => `output ${path}`),
    ...secrets.filter(secret => JSON.stringify(log).includes(secret)).map(() => 'log'),
  ]
}

describe('secrets', () => {
  it('stay marked from the configuration to the last input', async () => {
    const made: string[] = []
    const provider: ResourceProvider = {
      invoke: cannedProvider.invoke,
      async create(type, inputs, context) {
        const { id, outputs } = await cannedProvider.create(type, inputs, context)
        const value = outputs['value']
        if (/Token$|ApplicationPassword$/.test(type) && typeof value === 'string') made.push(value)
        return { id, outputs }
      },
    }
    const run = await runStack({
      provider,
      config: { ...withPush.config, repository: 'acme/people' },
      secrets: withPush.secrets,
    })
    expect(run.succeeded).toBe(true)
    expect(made).toHaveLength(4)
    const secrets = [...made, sessionKeys.split(':')[1] ?? '', mintingApiToken, pushHash]
    expect(leaks(run, secrets)).toEqual([])
    // Each secret did arrive somewhere: an empty graph would leak nothing.
    const everything = JSON.stringify(run.graph)
    for (const secret of secrets) expect(everything).toContain(secret)
    const workers = run.graph.resources.filter(({ type }) => type.endsWith(':WorkersScript'))
    expect(workers.map(({ options }) => options.additionalSecretOutputs)).toEqual([
      ['bindings'],
      ['bindings'],
    ])
    expect(run.outputs.secretPaths).toEqual(['dnsToken'])
  })

  it('are found when a program removes a mark', async () => {
    const program = fileURLToPath(new URL('fixtures/leak/index.ts', import.meta.url))
    const run = await runProgram({ program, config: {}, secrets: { 'homeport:sessionKeys': sessionKeys } })
    expect(run.succeeded).toBe(true)
    expect(leaks(run, [sessionKeys])).toEqual(['output leaked'])
  })

  /** CLI commands that print secrets in plain text, as observed. */
  const printing = [
    /\bpulumi\b.*\b(up|update|preview|refresh|destroy|import)\b.*--(json|event-log|debug)\b/,
    /\bpulumi\b.*\s-d\b/,
    /\bpulumi\b.*(--logtostderr|--logflow|\s-v=?\d)/,
    /--show-secrets/,
    /\bpulumi\b.*\bstack export\b/,
    /PULUMI_ENABLE_STREAMING_JSON_PREVIEW|PULUMI_DEBUG_(COMMANDS|GRPC)|ACTIONS_STEP_DEBUG|TF_LOG/,
  ]

  /**
   * These print nothing: people pipe the first command into `gh`, the set-up check and the comparison keep the output of
   * theirs in their process, and so does the journey, after-up writes what it captures to files of mode 0600, two lines are help, one a message, and the last
   * one recognizes a command.
   */
  const unprinted = [
    "demo/journey/cli-stack.ts: secretOutputs: () => run('stack', 'output', '--json', '--show-secrets'),",
    'infra/after-up.ts: With --settings, they must include secrets: pulumi stack output --json --show-secrets',
    "infra/after-up.ts: const output = await askForOutputs([settingsOutput, '--show-secrets'], stack)",
    "infra/settings-files.ts: problem: 'handlerSettings is masked. Use what `pulumi stack output --json --show-secrets` prints.',",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of source.
    'infra/doctor/bootstrap/hand-over.ts: fixed(`pulumi stack output dnsToken --show-secrets | gh secret set ${token} ${place}`),',
    "infra/doctor/bootstrap/local.ts: const args = ['config', '--json', '--show-secrets', '--stack', stack, '--non-interactive']",
    'infra/doctor/drift.ts: Environment: what pulumi stack export needs (with --preview, what pulumi preview needs), and',
    "infra/doctor/drift/token-value.ts: const args = ['stack', 'output', 'dnsToken', '--show-secrets', '--stack', name, '--non-interactive']",
    "demo/journey/embedded-stack.ts: if (is('stack output dnsToken --show-secrets')) {",
  ]

  it('are not printed by any command in a script or workflow', () => {
    const files = [
      '.github/workflows/*.yml',
      '.ci/*',
      'package.json',
      'infra/**/*.ts',
      'demo/**/*.ts',
      'Pulumi*.yaml',
    ]
    const lines = files
      .flatMap(pattern => globSync(pattern))
      .flatMap(path =>
        readText(path)
          .split('\n')
          .map(line => `${path}: ${line}`),
      )
      // Comments describe commands for people. Nothing runs them.
      .filter(line => !/: *(\/?\*|\/\/)/.test(line))
    expect(lines.length).toBeGreaterThan(500)
    const found = lines.filter(line => printing.some(form => form.test(line)))
    expect(found.map(line => line.replace(/: +/, ': ')).toSorted()).toEqual(unprinted.toSorted())
  })

  it.each([
    'pulumi up --yes --json',
    'pulumi preview --json',
    'pulumi up --event-log events.json',
    'pulumi -C infra up --debug',
    'pulumi up --logtostderr -v=9',
    'pulumi stack output --show-secrets',
    'pulumi stack export > state.json',
  ])('would be printed by `%s`', command => {
    expect(printing.some(form => form.test(command))).toBe(true)
  })
})
