import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxDescription } from '../../sandbox/sandbox.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Returns the environment of a process that first requires this file. NODE_OPTIONS splits its text at blanks outside quotes. */
export function preloaded(file: string): { readonly NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--require=${JSON.stringify(file)}` }
}

/** Returns the environment of a step that first runs this module, which replaces what the host provides. */
export function preload(code: string): { readonly NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
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

/** A host on which the resolvers over HTTPS are those of a sandbox, whose authority it trusts. */
export function withResolvers({ https, ca }: Pick<SandboxDescription, 'https' | 'ca'>) {
  const file = join(temporaryFolder(), 'ca.pem')
  writeFileSync(file, ca)
  const replaced = preload(`
    import dns from 'node:dns'
    import { Socket } from 'node:net'
    import { syncBuiltinESMExports } from 'node:module'
    const { lookup } = dns
    dns.lookup = (name, options, callback) =>
      lookup(['cloudflare-dns.com', 'dns.google'].includes(name) ? '127.0.0.1' : name, options, callback)
    const { connect } = Socket.prototype
    Socket.prototype.connect = function (...given) {
      const [options] = given.flat()
      if (options.port === 443) options.port = ${https.port}
      return connect.apply(this, given)
    }
    syncBuiltinESMExports()
  `)
  return { ...replaced, NODE_EXTRA_CA_CERTS: file }
}
