import { expect, it, vi } from 'vitest'
import { ignoredProxies } from '../../lib/ignored-proxies.ts'

const proxy = 'http://127.0.0.1:3128'

it.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])('reports %s without HTTPS_PROXY', name => {
  expect(ignoredProxies({ [name]: proxy })).toEqual([
    `${name} would be ignored: all requests use https. Set HTTPS_PROXY, or remove ${name}.`,
  ])
  for (const used of ['HTTPS_PROXY', 'https_proxy'])
    expect(ignoredProxies({ [name]: proxy, [used]: proxy })).toEqual([])
  expect(ignoredProxies({ [name]: ' ' })).toEqual([])
})

it('reports HTTPS_PROXY on a Node that ignores it, even with NODE_USE_ENV_PROXY', () => {
  const flags = vi.spyOn(process, 'allowedNodeEnvironmentFlags', 'get').mockReturnValue(new Set())
  const problems = ignoredProxies({ HTTPS_PROXY: proxy, NODE_USE_ENV_PROXY: '1' })
  flags.mockRestore()
  expect(problems).toEqual([
    `HTTPS_PROXY would be ignored by Node.js ${process.versions.node}. Use Node.js 24.5 or newer, or 22.21 or newer in 22, or remove HTTPS_PROXY.`,
  ])
})
