import { exchange as actionExchange } from '../../action/http.ts'
import { tell } from '../../action/tell.ts'
import { exchange as infraExchange } from '../../infra/http.ts'
import { exchange as pushExchange } from '../../push/node-exchange.ts'
import { createNodeTransport } from '../../src/node/transport.ts'
import { openD1Store } from '../../src/operator/open-store.ts'

/** Sends one request with each client to the server of the argument. Prints what came of each, as JSON. */
const [origin = ''] = process.argv.slice(2)
const heartbeat = { method: 'GET', url: `${origin}/ping`, headers: {} } as const

const clients = {
  heartbeat: async () => (await tell(actionExchange, heartbeat, 'The monitor'))[0] ?? 200,
  'message of the endpoint': async () =>
    (await tell(pushExchange, { ...heartbeat, method: 'POST', body: 'x' }, 'The service'))[0] ?? 200,
  'sign-in': async () =>
    (
      await createNodeTransport()(
        `${origin}/token`,
        { method: 'POST', headers: {}, body: new URLSearchParams({ a: 'b' }) },
        20_000,
      )
    ).status,
  infra: async () => {
    const answer = await infraExchange(`${origin}/user`, { headers: {} })
    return answer.status ?? answer.problem
  },
  operator: async () => {
    const store = openD1Store({ apiUrl: origin, accountId: 'a', databaseId: 'd', token: 't' })
    return (await store.query('SELECT 1 AS one')).length === 1 ? 200 : 0
  },
}

const outcomes = await Promise.all(
  Object.entries(clients).map(async ([name, send]) => [name, await send().catch(String)] as const),
)
process.stdout.write(JSON.stringify(Object.fromEntries(outcomes)))
process.exit()
