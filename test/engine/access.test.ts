import { expect, it } from 'vitest'
import { deployed } from '../support/engine/deployed.ts'
import { environmentName } from '../support/engine/services.ts'
import { hostname, publicOrigin } from '../support/engine/stack.ts'

const { stage, stack } = await deployed()

const zone = () => `/zones/${stage.services.at.zoneId}`

/** Puts a secret into the environment, as `gh secret set` does. */
function replaceSecret() {
  const { environments } = stage.services.state.github
  const { secrets, variables } = environments[environmentName] ?? { secrets: {}, variables: {} }
  const replaced = { secrets: { ...secrets, CLOUDFLARE_DNS_TOKEN: 'somebody-elses' }, variables }
  stage.services.sandbox.control.setState({
    github: { environments: { ...environments, [environmentName]: replaced } },
  })
}

it('drift names everything that lets somebody else in', async () => {
  const { services } = stage
  const green = await stack.drift()
  expect(green.output).toContain('No drift: stack dev is as declared.')

  await services.api('POST', `${zone()}/workers/routes`, { pattern: `${new URL(publicOrigin).host}/*` })
  const address = { type: 'AAAA', name: hostname, content: '2001:db8::7', ttl: 120, proxied: false }
  await services.api('POST', `${zone()}/dns_records`, address)
  await services.control('PUT', '/clock', { advanceMs: 5000 })
  replaceSecret()
  const [token] = await services.tokens()
  const tokenPath = `/accounts/${services.at.accountId}/tokens/${token?.id}`
  await services.api('PUT', `${tokenPath}/value`, {})

  const red = await stack.drift()
  expect(red.status, red.output).toBe(1)
  expect(red.output).toMatch(
    /^The Workers route "people\.example\.com\/\*" \("[0-9a-f]{32}"\) sends requests/m,
  )
  expect(red.output).toMatch(/^There is a record "[0-9a-f]{32}" \(dyn\.example\.com, AAAA\), which decides/m)
  expect(red.output).toMatch(/^The secret CLOUDFLARE_DNS_TOKEN of the environment dns was written at /m)
  expect(red.output).toMatch(/^The DNS token was changed at /m)
  expect(red.output).toContain('Stack dev has 4 differences.')
})
