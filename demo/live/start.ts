import type { Sandbox } from '../../sandbox/sandbox.ts'
import { freePort } from '../../tools/free-port.ts'
import type { FollowedRecord } from '../followed-record.ts'
import { interrupted, write } from '../show.ts'
import { declareInChild } from './declared.ts'
import { Live } from './live.ts'
import { paths } from './page.ts'
import { originOf, serveLivePage } from './server.ts'

interface LivePageOptions {
  /** With an identity provider whose application has the redirect URI of the page's origin. */
  readonly sandbox: Sandbox
  readonly record: FollowedRecord
  readonly port: number
}

/**
 * Serves the live page of a record until a signal.
 * @param texts what to say before the page's URL, and after it, and a command to try
 * @throws ListenError
 */
export async function keepServing(
  { sandbox, record, port }: LivePageOptions,
  [before, after, command]: readonly [string, string, string],
): Promise<void> {
  // Set up before printing: a reader of the text may send the signal at once.
  const ended = interrupted()
  const { cloudflare, entra } = sandbox.description
  const { zoneId, accountId } = cloudflare
  await using open = new AsyncDisposableStack()
  const live = new Live({
    record,
    journal: () => sandbox.control.journal(),
    declare: signal => declareInChild({ hostname: record.hostname, zoneId, accountId }, signal),
    async startSignIn() {
      if (entra === undefined) throw new Error('The identity provider is not running.')
      // Imported only now: its libraries take longer to load than the page.
      const { startSignInService } = await import('../sign-in-service.ts')
      const handlerPort = await freePort()
      const settings = { AFTER_SIGN_IN_URL: paths.page, APP_NAME: 'the live page' }
      const service = await startSignInService({ entra, origin: originOf(port), port: handlerPort, settings })
      return { port: handlerPort, close: () => service.close() }
    },
  })
  open.defer(() => live.close())
  open.adopt(await serveLivePage(live, port), server => server.close())
  write(`\n${before}\n  ${originOf(port)}/\n${after}\n  ${command}`)
  await ended
}
