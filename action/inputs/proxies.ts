import { parseProxy } from '../../lib/proxy.ts'
import type { AddressRules } from '../address/check.ts'
import type { AddressInputs } from '../address/detect.ts'
import { families } from '../address/family.ts'
import type { Environment, Reader } from './reader.ts'

/** Where problems of variables go, which are not inputs. */
interface ProxyProblems {
  addProblem(name: string, message: string): void
}

/** Reports proxy variables that the HTTP client would ignore, or would mistake for an HTTP proxy. */
export function checkProxies(read: ProxyProblems, env: Environment): void {
  for (const name of ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']) {
    const value = env[name]
    if (value && parseProxy(value) === null) {
      read.addProblem(
        name,
        'is not the URL of an HTTP proxy, so requests could bypass it. Write it as http://host:port.',
      )
    }
  }
}

/**
 * Reports echo services that would be asked through a proxy: they see its address instead of this host's. With
 * `expected-cidr` a wrong address is refused later. `proxyOf` returns the proxy of a URL, or null.
 */
export function checkProxiedEchoes(
  read: Reader,
  addresses: readonly AddressInputs[],
  { expectedCidrs }: AddressRules,
  proxyOf: (url: string) => string | null,
): void {
  const proxied = addresses.flatMap(({ type, source }) => {
    const guarded = expectedCidrs.some(range => range.family === families[type].version)
    const sources = source.kind === 'given' || guarded ? [] : source.sources
    return sources.flatMap(voter => (voter.kind === 'echo' && proxyOf(voter.url) !== null ? voter.name : []))
  })
  if (proxied.length === 0) return
  read.addProblem(
    'address-sources',
    'would be asked through https_proxy, so echo services would return the address of the proxy. Add them to no_proxy ' +
      `(${[...new Set(proxied)].join(',')}), or set expected-cidr to the ranges of your own address.`,
  )
}
