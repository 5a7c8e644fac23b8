import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Server } from 'node:net'
import type { Duplex } from 'node:stream'

/** Lets a server listen, on any free port by default. Returns its URL. */
export async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<string> {
  await new Promise<void>(resolve => server.listen(port, host, resolve))
  const bound = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`
}

/** Whether something accepts connections on a port. */
export async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const accepted = await once(socket, 'connect').catch(() => null)
  socket.destroy()
  return accepted !== null
}

/**
 * Starts an HTTP proxy whose tunnels lead to the port that was asked for, on this machine. `asked` has the target and the
 * credentials of each.
 */
export async function startTunnel() {
  const asked: string[] = []
  const proxy = createServer().on('connect', ({ url = '', headers }, socket) => {
    asked.push(`${url} ${headers['proxy-authorization']}`)
    const onward = connect(Number(url.split(':')[1]), '127.0.0.1')
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    socket.pipe(onward).pipe(socket)
    for (const end of [socket, onward]) end.on('error', () => undefined)
  })
  function close(): void {
    proxy.close()
    proxy.closeAllConnections()
  }
  return { url: await listen(proxy), asked, close }
}

/** Starts an HTTP proxy that sends each tunnel this answer, and closes it unless the answer leaves it open. */
export async function startProxy(answer: string) {
  const seen: string[] = []
  const open = new Set<Duplex>()
  const proxy = createServer(request => seen.push(`${request.method} ${request.url}`))
  proxy.on('connect', ({ method, url, headers }, socket) => {
    seen.push(`${method} ${url} ${headers.authorization ?? headers['proxy-authorization']}`)
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
