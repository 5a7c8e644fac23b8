import type { AddressRules } from '../address/check.ts'
import type { AddressSettings } from '../address/detect.ts'
import { families } from '../address/family.ts'
import { type ProxyVariables, parseProxy, proxyFor } from '../proxy.ts'
import type { Environment, Reader } from './reader.ts'

/** Reports proxy variables that do not name an HTTP proxy, because requests would bypass it. */
export function checkProxies(read: Reader, env: Environment): void {
  for (const name of ['https_proxy', 'HTTPS_PROXY'] as const) {
    const value = env[name]
    if (value && !parseProxy(value)) {
      read.addProblem(
        name,
        'is not the URL of an HTTP proxy, so requests would bypass it. Write it as http://host:port.',
      )
    }
  }
}

/**
 * Reports echo services that would be asked through a proxy: they see its address instead of this host's. With
 * `expected-cidr` a wrong address is refused later.
 */
export function checkProxiedEchoes(
  read: Reader,
  addresses: readonly AddressSettings[],
  { expectedCidrs }: AddressRules,
  variables: ProxyVariables,
): void {
  const proxied = addresses.flatMap(({ type, source }) => {
    const guarded = expectedCidrs.some(range => range.family === families[type].version)
    const sources = source.kind === 'given' || guarded ? [] : source.sources
    return sources.flatMap(voter =>
      voter.kind === 'echo' && proxyFor(new URL(voter.url), variables) ? voter.name : [],
    )
  })
  if (proxied.length === 0) return
  read.addProblem(
    'address-sources',
    'would be asked through https_proxy, so echo services would return the address of the proxy. Add them to no_proxy ' +
      `(${[...new Set(proxied)].join(',')}), or set expected-cidr to the ranges of your own address.`,
  )
}
