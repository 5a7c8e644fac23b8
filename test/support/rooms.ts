/** GitHub's language service imports JSON without attributes, which plain Node refuses: vite loads it instead. */
const inlined = [/@actions\/(languageservice|workflow-parser|expressions)/]

interface RoomOptions {
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
  readonly concurrent?: boolean
  /** Whether each file has modules of its own. Loading them anew for every file costs a quarter of the time. */
  readonly isolate?: boolean
  readonly globalSetup?: string[]
}

/** Returns the vitest project of a room, so that `npm test -- --project action` runs one of them. */
function room(
  name: string,
  {
    include = [`test/${name}/**/*.test.ts`],
    exclude = [],
    concurrent = false,
    isolate = false,
    globalSetup = [],
  }: RoomOptions = {},
) {
  return {
    test: {
      name,
      isolate,
      include: [...include],
      exclude: [...exclude],
      sequence: { concurrent },
      globalSetup,
      maxConcurrency: 6,
      testTimeout: 30_000,
      hookTimeout: 30_000,
      server: { deps: { inline: inlined } },
    },
  }
}

/** Tests of what the Pulumi program loads, which no other test may have loaded before. */
const loadsTheProgramOnce = ['test/infra/launcher.test.ts', 'test/infra/project.test.ts']

/** What `npm test` runs. The demos and the real engine have configurations of their own: they take minutes. */
export const rooms = [
  // Each scenario has a process and a sandbox of its own, and mostly waits.
  room('action', { concurrent: true }),
  room('simulation'),
  room('sandbox'),
  room('src', { globalSetup: ['test/src/support/cluster.ts'] }),
  room('infra', { exclude: loadsTheProgramOnce, globalSetup: ['test/infra/support/build.ts'] }),
  room('infra-isolated', { include: loadsTheProgramOnce, isolate: true }),
  room('repository'),
  // As in infra.
  room('journeys', { isolate: true }),
]

/** What `npm run test:proxies` runs: apart from `npm test`, since the proxies are fetched first. */
export const proxies = room('proxies', { globalSetup: ['test/src/support/cluster.ts'] })
