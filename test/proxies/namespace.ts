import { once } from 'node:events'
import { createNamespace, whyNoNamespace } from '../support/namespace.ts'

/** The host of the endpoint, and its addresses in a namespace. */
export const pushHost = 'push.example.com'
const pushAddress = '203.0.113.1'
export const hostsFile = `127.0.0.1 localhost\n${pushAddress} ${pushHost}\n`

/**
 * A network of its own: `wan` is the router's interface, and the address of the endpoint is on this machine. The programs in it
 * have their own hosts and authorities, and reach nothing else.
 */
const setUp = `set -e
ip link set lo up
ip link add wan type veth peer name provider
ip link set wan up
ip link set provider up
mount -t tmpfs none /etc/ssl/certs`
const fill = `mount --bind "$1/hosts" /etc/hosts
cp "$1/ca.pem" /etc/ssl/certs/ca-certificates.crt
echo ready`

/** Says why routers can have no network of their own here, or nothing. */
export const whyNoNetwork = whyNoNamespace('sh', '-c', setUp)

/** Creates a network with a router in it. `folder` has its `hosts`, and the authority that its programs trust, `ca.pem`. */
export async function createNetwork(folder: string) {
  const namespace = await createNamespace(`${setUp}\n${fill}`, folder)
  return {
    ...namespace,
    /** Gives the router another address, from which it reaches the endpoint. */
    async setAddress(address: string): Promise<void> {
      const script = `ip addr flush dev wan scope global && ip addr add "$1/32" dev wan
ip route replace local ${pushAddress} dev lo src "$1"`
      const [status] = await once(namespace.start('sh', ['-ec', script, 'sh', address]), 'close')
      if (status !== 0) throw new Error(`The router cannot have the address ${address}.`)
    },
  }
}
