import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { listen } from './listen.ts'

/**
 * Starts a TCP relay on loopback that counts connections and delays round trips, as a network does. `url` is an http URL on
 * loopback, and `baseUrl` is the one to use instead. `roundTripMs` is added to each exchange, half of it each way, and once
 * more to each new connection, whose handshake is a round trip of its own. It listens on `host`; `port` 0 is any free one.
 */
export async function startRelay(url: string, { roundTripMs = 0, host = '127.0.0.1', port = 0 } = {}) {
  const { hostname, port: servicePort } = new URL(url)
  const sockets = new Set<Socket>()
  let connections = 0
  const pipe = (from: Socket, to: Socket, ready: Promise<unknown>) => {
    let sent = ready
    const later = (send: () => void) => {
      const due = delay(roundTripMs / 2)
      sent = Promise.all([sent, due]).then(send)
    }
    from.on('data', chunk => later(() => to.write(chunk)))
    from.on('end', () => later(() => to.end()))
    from.on('error', () => to.destroy())
  }
  const server = createServer(client => {
    connections++
    const service = connect(Number(servicePort), hostname)
    for (const socket of [client, service]) {
      socket.setNoDelay(true)
      sockets.add(socket)
    }
    const handshake = delay(roundTripMs)
    pipe(client, service, handshake)
    pipe(service, client, handshake)
  })
  return {
    baseUrl: await listen(server, host, port),
    connections: () => connections,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>(resolve => server.close(() => resolve()))
    },
  }
}
