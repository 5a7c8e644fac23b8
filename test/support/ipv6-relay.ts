import { connect, createServer } from 'node:net'
import { listen } from './listen.ts'

/** Makes an http URL on 127.0.0.1, where the sandbox listens, reachable over IPv6. */
export async function startIpv6Relay(url: string): Promise<{ readonly url: string; close(): void }> {
  const { hostname, port } = new URL(url)
  const server = createServer(client => {
    const service = connect(Number(port), hostname)
    client.pipe(service).pipe(client)
    client.on('error', () => service.destroy())
    service.on('error', () => client.destroy())
  })
  return { url: await listen(server, '::1'), close: () => server.close() }
}
