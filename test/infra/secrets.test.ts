import { globSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readText } from './support/golden.ts'

describe('secrets', () => {
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
   * theirs in their process, and so does the journey, after-up writes what it captures to files of mode 0600, two lines are
   * help, and one is a message.
   */
  const unprinted = [
    "demo/journey/cli-stack.ts: secretOutputs: () => run('stack', 'output', '--json', '--show-secrets'),",
    'infra/after-up.ts: It reads the stack by the CLI, or its outputs from FILE (- for standard input): pulumi stack output --json --show-secrets.',
    "infra/after-up.ts: const args = ['stack', 'output', 'handlerSettings', '--show-secrets', ...(stack ? ['--stack', stack] : [])]",
    "infra/after-up.ts: throw new Refusal('The outputs lack handlerSettings. Use a stack with signIn: host, and --show-secrets.')",
    "infra/doctor/bootstrap/stack.ts: const show = ['config', '--json', '--show-secrets', '--stack', stack.name, '--non-interactive']",
    'infra/doctor/drift.ts: Environment: what pulumi stack export needs, and',
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
    const lines = globSync(files)
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
})
