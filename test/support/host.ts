import type { NetworkInterfaceInfo } from 'node:os'

/** Returns the environment of a process that first requires this file. NODE_OPTIONS splits its text at blanks outside quotes. */
export function preloaded(file: string): { readonly NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--require=${JSON.stringify(file)}` }
}

/** Returns the environment of a step that first runs this module, which replaces what the host provides. */
export function preload(code: string): { readonly NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

/** A host with these network interfaces. */
export function withInterfaces(
  interfaces: Readonly<Record<string, readonly Partial<NetworkInterfaceInfo>[]>>,
) {
  return preload(`
    import os from 'node:os'
    import { syncBuiltinESMExports } from 'node:module'
    os.networkInterfaces = () => (${JSON.stringify(interfaces)})
    syncBuiltinESMExports()
  `)
}

/** A host whose resolver, and every name server, listens on this port instead of 53. */
export function withNameServer(port: number) {
  return preload(`
    import dns from 'node:dns/promises'
    import { syncBuiltinESMExports } from 'node:module'
    dns.Resolver = class extends dns.Resolver {
      constructor(options) {
        super(options)
        this.setServers(['127.0.0.1:53'])
      }
      setServers(servers) {
        super.setServers(servers.map(server => server.replace(/:53$/, ':${port}')))
      }
    }
    syncBuiltinESMExports()
  `)
}
