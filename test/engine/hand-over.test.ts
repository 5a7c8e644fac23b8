import { expect, it } from 'vitest'
import { deployed } from '../support/engine/deployed.ts'
import { environmentName, type Services } from '../support/engine/services.ts'
import { hostname } from '../support/engine/stack.ts'

const { stage, stack } = await deployed({ repository: undefined, environment: undefined })
const { github } = stage.services.sandbox.description
const repository = `${github.owner}/${github.repository}`

/** What `gh variable set` and `gh variable delete` send. */
async function variable(services: Services, method: 'POST' | 'DELETE', name: string, value?: string) {
  const { baseUrl, token } = services.sandbox.description.github
  const path = `repos/${repository}/environments/${environmentName}/variables`
  const response = await fetch(`${baseUrl}${path}${method === 'POST' ? '' : `/${name}`}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(method === 'POST' ? { body: JSON.stringify({ name, value }) } : {}),
  })
  expect(response.ok).toBe(true)
}

const refusal = '409 Already exists - Variable already exists []'
const handedOver = () => stage.services.state.github.environments[environmentName]
const wanted = () => ({
  HOMEPORT_ZONE_ID: stage.services.at.zoneId,
  HOMEPORT_HOSTNAME: hostname,
  HOMEPORT_RECORD_TYPE: 'A',
})

it('variables that were set by hand stop every up, until they are deleted as the page says', async () => {
  for (const [name, value] of Object.entries(wanted())) {
    await variable(stage.services, 'POST', name, value)
  }
  await stack.configure({ repository, environment: environmentName })
  for (const _ of [1, 2]) {
    const { status, output } = await stack.tryUp()
    expect(status).not.toBe(0)
    expect(output).toContain(refusal)
  }
  for (const name of Object.keys(wanted())) await variable(stage.services, 'DELETE', name)
  await stack.up()
  expect(handedOver()?.variables).toEqual(wanted())
  expect(handedOver()?.secrets).toEqual({ CLOUDFLARE_DNS_TOKEN: await stack.output('dnsToken') })
})

it('without the repository again, up deletes what it handed over', async () => {
  await stack.configure({ repository: undefined })
  await stack.up()
  expect(handedOver()).toEqual({ secrets: {}, variables: {} })
})

it('a variable whose creation was not answered stops every up, until it is deleted', async () => {
  await stage.services.setFaults({
    match: { service: 'github', method: 'POST', path: '/variables$' },
    commit: true,
    answer: { kind: 'reset' },
  })
  await stack.configure({ repository })
  expect((await stack.tryUp()).status).not.toBe(0)
  const { status, output } = await stack.tryUp()
  expect(status).not.toBe(0)
  expect(output).toContain(refusal)
  // The fault took the first creation, and the other one is in the state.
  const names = Object.keys(wanted()).filter(name =>
    output.includes(`repository-${name.toLowerCase().replaceAll('_', '-')} **creating failed**`),
  )
  expect(names).toHaveLength(1)
  for (const name of names) await variable(stage.services, 'DELETE', name)
  await stack.up()
  expect(handedOver()?.variables).toEqual(wanted())
})
