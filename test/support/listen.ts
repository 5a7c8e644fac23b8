import { createServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import type { Duplex } from 'node:stream'

/** Lets a server listen, on any free port by default. Returns its URL. */
export async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<string> {
  await new Promise<void>(resolve => server.listen(port, host, resolve))
  const bound = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`
}

/** Starts an HTTP proxy that sends each tunnel this answer, and closes it unless the answer leaves it open. */
export async function startProxy(answer: string) {
  const seen: string[] = []
  const open = new Set<Duplex>()
  const proxy = createServer(request => seen.push(`${request.method} ${request.url}`))
  proxy.on('connect', ({ method, url, headers }, socket) => {
    seen.push(`${method} ${url} ${headers.authorization}`)
    socket.on('error', () => {})
    open.add(socket)
    if (answer !== '') socket.write(answer)
    if (/^HTTP\/1.1 [45]/.test(answer)) socket.end()
  })
  const url = await listen(proxy)
  function close(): void {
    for (const socket of open) socket.destroy()
    proxy.close()
  }
  return { url, seen, close }
}
