import { expect, it } from 'vitest'
import { deployed } from '../support/engine/deployed.ts'
import { environmentName } from '../support/engine/services.ts'
import { hostname } from '../support/engine/stack.ts'

const { stage, stack } = await deployed({ repository: undefined, environment: undefined })
const { services } = stage
const { github } = services.sandbox.description
const repository = `${github.owner}/${github.repository}`
const handedOver = () => services.state.github.environments[environmentName]
const variables = {
  HOMEPORT_ZONE_ID: services.at.zoneId,
  HOMEPORT_HOSTNAME: hostname,
  HOMEPORT_RECORD_TYPE: 'A',
}

it('variables that were set by hand stop every up, until they are deleted as the page says', async () => {
  const environments = { [environmentName]: { secrets: {}, variables } }
  services.sandbox.control.setState({ github: { environments } })
  await stack.configure({ repository, environment: environmentName })
  for (const _ of [1, 2]) {
    const { status, output } = await stack.tryUp()
    expect(status).not.toBe(0)
    expect(output).toContain('409 Already exists - Variable already exists []')
  }
  services.deleteVariables()
  await stack.up()
  expect(handedOver()).toEqual({
    secrets: { CLOUDFLARE_DNS_TOKEN: await stack.output('dnsToken') },
    variables,
  })
})

it('without the repository again, up deletes what it handed over', async () => {
  await stack.configure({ repository: undefined })
  await stack.up()
  expect(handedOver()).toEqual({ secrets: {}, variables: {} })
})
