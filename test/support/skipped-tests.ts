import type { Reporter, TestModule } from 'vitest/node'

/** Where `.ci/run` runs tests: on the machine itself, and in `.ci/bare-debian`. The variable HOMEPORT_CI says it. */
const places = ['machine', 'bare-debian'] as const
type Place = (typeof places)[number]

/** Tests that `.ci/run` can skip without failing, and why. */
export interface Accepted {
  readonly in: readonly Place[]
  /** The file and the name of a test or of its group, or how they begin. */
  readonly test: string
  readonly reason: string
}

const onlyForRoot = '`.ci/bare-debian` runs it as root.'
const onTheMachine = 'The bare Debian has only Node, npm and git. `.ci/run` runs it on the machine itself.'

export const accepted: readonly Accepted[] = [
  ...[
    'a program in the cache > is not run from a folder of another user',
    'PostgreSQL > says which folder root has to change',
    'PostgreSQL > runs as an existing user, in a folder of that user',
  ].map(name => ({
    in: places,
    test: `test/repository/newcomer.test.ts > ${name}`,
    reason: onlyForRoot,
  })),
  ...[
    'test/action/scenarios/command.test.ts > the files for hosts > include a service and a timer',
    'test/infra/env-file.test.ts > a value that is written as it is > is read alike by systemd (systemd',
    'test/sandbox/home-page.test.ts > the home page > shows commands that work (curl',
    'test/journeys/dig.test.ts > dig',
  ].map(test => ({ in: ['bare-debian' as const], test, reason: onTheMachine })),
  {
    in: ['machine'],
    test: 'test/docs/commands.test.ts > docs/development/clients.md > redirects clients with a fixed address (unshare',
    reason: 'Only root can make the namespaces, and in some containers not even root.',
  },
  ...[
    'images.test.ts > images (',
    'compose.test.ts > a protected application (',
    'newcomer.test.ts > a newcomer with a container tool (',
  ].map(name => ({
    in: ['machine' as const],
    test: `test/images/${name}`,
    reason: 'Only root can make the namespaces of containers, and in some containers not even root.',
  })),
  ...[
    'router-clients.test.ts > routers can have a network of their own here (',
    'router-clients.test.ts > over TLS, with ',
    'router-faults.test.ts > a fault over TLS, with ',
  ].map(test => ({
    in: ['machine' as const],
    test: `test/proxies/${test}`,
    reason: 'Some containers permit no namespaces, and some distributions permit them only to root.',
  })),
  {
    in: ['machine'],
    test: 'test/proxies/traefik.test.ts > Traefik can run here',
    reason:
      'Building it takes many minutes. `npm test -- --project proxies traefik` does it once, and runs the tests.',
  },
]

/** A test that was skipped: its file and its names, and why if the test said so. */
export interface Skipped {
  readonly test: string
  readonly note: string | undefined
}

/** Judges the tests that were skipped in a place. */
export function judgeSkipped(
  skipped: readonly Skipped[],
  place: string,
  list: readonly Accepted[] = accepted,
): { readonly isGood: boolean; readonly lines: readonly string[] } {
  const found = skipped.map(one => ({
    ...one,
    listed: list.find(
      ({ in: where, test }) => where.some(name => name === place) && one.test.startsWith(test),
    ),
  }))
  const unlisted = found.filter(({ listed }) => !listed)
  const count = unlisted.length === 1 ? '1 test was' : `${unlisted.length} tests were`
  return {
    isGood: unlisted.length === 0,
    lines: [
      ...found.flatMap(({ test, listed }) =>
        listed ? [`Skipped, as listed: ${test}. ${listed.reason}`] : [],
      ),
      ...unlisted.map(({ test, note }) => `Skipped: ${test}${note ? ` (${note})` : ''}`),
      ...(unlisted.length === 0
        ? []
        : [
            `${count} skipped, so nothing shows that what they test works. Install what they need, or list them with the reason in test/support/skipped-tests.ts.`,
          ]),
    ],
  }
}

/** Fails a run of `.ci/run` that skips a test, unless the test is listed. */
export default class SkippedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap(module =>
      [...module.children.allTests('skipped')].map(test => {
        const result = test.result()
        const note = result.state === 'skipped' ? result.note : undefined
        return { test: `${module.relativeModuleId} > ${test.fullName}`, note }
      }),
    )
    const { isGood, lines } = judgeSkipped(skipped, process.env['HOMEPORT_CI'] ?? '')
    for (const line of lines) process.stderr.write(`${line}\n`)
    if (!isGood) process.exitCode = 1
  }
}
