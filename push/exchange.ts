import { createFetchExchange } from '../lib/fetch-exchange.ts'

/** Sends the requests of a Worker. */
export const exchange = createFetchExchange({ 'User-Agent': 'homeport-push' })
