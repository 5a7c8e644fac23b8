import type { Sandbox } from '../../sandbox/sandbox.ts'
import { freePort } from '../../tools/free-port.ts'
import type { FollowedRecord } from '../followed-record.ts'
import { declareInChild } from './declared.ts'
import { Live } from './live.ts'
import { paths } from './page.ts'
import { originOf, serveLivePage } from './server.ts'

export interface LivePageOptions {
  /** With an identity provider whose application has the redirect URI of the page's origin. */
  readonly sandbox: Sandbox
  readonly record: FollowedRecord
  readonly port: number
}

/**
 * Serves the live page of a record.
 * @throws ListenError
 */
export async function startLivePage({ sandbox, record, port }: LivePageOptions) {
  const { cloudflare, entra } = sandbox.description
  const { zoneId, accountId } = cloudflare
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
  try {
    const server = await serveLivePage(live, port)
    return {
      url: `${originOf(port)}/`,
      async close() {
        await server.close()
        await live.close()
      },
    }
  } catch (error) {
    await live.close()
    throw error
  }
}
