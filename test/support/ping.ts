import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { SandboxDescription } from '../../sandbox/description.ts'

/** Sends a ping to a deployed push endpoint over TLS, as a router does. Returns status and body. */
export async function ping(
  { https, ca }: Pick<SandboxDescription, 'https' | 'ca'>,
  host: string,
  password: string,
  query: string,
): Promise<string> {
  const sent = request({
    host: https.host,
    port: https.port,
    servername: host,
    ca,
    headers: { host, authorization: `Basic ${btoa(`homeport:${password}`)}` },
    path: `/nic/update?${query}`,
  })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return `${response.statusCode} ${await text(response)}`
}
