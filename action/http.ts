import { getProxyUrl } from '@actions/http-client/lib/proxy'
import { pendingLookups } from '../lib/connect.ts'
import { failure, type HttpOutcome, type HttpRequest } from '../lib/exchange.ts'
import { createNodeExchange } from '../lib/node-exchange.ts'

const send = createNodeExchange({ 'user-agent': 'homeport-action' })

/** Explains the 407 of a proxy (RFC 9110 §15.5.8), without its URL, which can have a password. */
const proxyRefusal =
  'the proxy requires a user name and password, or rejected them (407). Set them in https_proxy, as in ' +
  'http://USER:PASSWORD@host:port, with special characters percent-encoded'

/**
 * Sends one request and returns its outcome within the limit, through https_proxy if it is set. Never throws because of the
 * network, and repeats only what could not be sent because this machine has no network yet. Redirects are returned, not
 * followed, because that would send the token along.
 */
export async function exchange(request: HttpRequest): Promise<HttpOutcome> {
  const url = new URL(request.url)
  const proxy = getProxyUrl(url)
  const outcome = await send(request, proxy)
  if (outcome.kind === 'response') return outcome
  const { cause, detail, error } = outcome
  if (cause === 'timeout' && pendingLookups((proxy ?? url).hostname) > 0)
    return { ...outcome, detail: `${detail}: its name was not resolved` }
  if (!(error instanceof Error && 'proxyStatus' in error)) return outcome
  if (error.proxyStatus === 407) return failure('proxy', proxyRefusal)
  return { ...outcome, detail: `the proxy in https_proxy: ${detail}` }
}
