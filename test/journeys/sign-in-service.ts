import type { FullDescription } from '../../sandbox/sandbox.ts'
import { redirectUriOf } from '../../src/settings/redirect-uri.ts'
import { startPostgres } from '../../tools/postgres.ts'
import { runEmployees } from '../support/employees.ts'
import { startHandler } from '../support/handler.ts'
import { handlerSettings } from '../support/handler-settings.ts'

/** Provider accounts that have an employee record in the demo. The first is an administrator. */
export const employees = ['alice', 'bob'] as const

interface SignInServiceOptions {
  /** The emulated provider. Its application must have the redirect URI of the origin. */
  readonly entra: FullDescription['entra']
  /** Where browsers reach the handler, such as `http://localhost:8080`. */
  readonly origin: string
  /** Port of the handler, on loopback. */
  readonly port: number
  /** More settings of the handler. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts PostgreSQL, adds the employees, and starts the handler. Nothing is left running if a part fails. */
export async function startSignInService({ entra, origin, port, settings }: SignInServiceOptions) {
  await using starting = new AsyncDisposableStack()
  const postgres = starting.adopt(await startPostgres(), of => of.close())
  const databaseUrl = await postgres.createDatabase('people')
  const adding = employees.map((name, at) => ['add', name, ...(at === 0 ? ['--admin'] : [])])
  for (const command of [['migrate'], ...adding]) await runEmployees(command, { DATABASE_URL: databaseUrl })
  const handler = await startHandler({
    env: {
      ...handlerSettings(entra, redirectUriOf(origin)),
      REQUIRE_STATE: 'true',
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      ...settings,
    },
  })
  starting.defer(async () => void (await handler.stop()))
  const running = starting.move()
  return { close: () => running.disposeAsync() }
}
