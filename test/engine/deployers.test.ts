import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { graph } from '../../infra/stack-facts.ts'
import type { Deployer } from '../../sandbox/entra/graph/applications.ts'
import { type Stack, Stage } from '../support/engine/stack.ts'

const person: Deployer = {
  clientId: 'cccccccc-0000-4000-8000-111111111111',
  clientSecret: 'secret~of.a.person'.padEnd(40, 'x'),
  objectId: 'dddddddd-0000-4000-8000-111111111111',
}
/** An application that can register others, as docs/deploy.md makes it. */
const registered = {
  applications: [
    {
      id: person.clientId,
      appId: person.clientId,
      displayName: 'A deployer',
      createdDateTime: '2026-11-01T00:00:00Z',
      owners: [],
      passwords: [
        {
          keyId: person.clientId,
          displayName: null,
          secretText: person.clientSecret,
          startDateTime: '2026-11-01T00:00:00Z',
          endDateTime: '2099-01-01T00:00:00Z',
        },
      ],
    },
  ],
  servicePrincipals: [
    {
      id: person.objectId,
      appId: person.clientId,
      owners: [],
      appRoleAssignments: [{ id: person.objectId, appRoleId: graph.readWriteOwnedBy, resourceId: 'graph' }],
    },
  ],
}
const asPerson = { ARM_CLIENT_ID: person.clientId, ARM_CLIENT_SECRET: person.clientSecret }

let stage: Stage
let stack: Stack
/** The default deployer, who plays the CI's application. */
let ci: Deployer
beforeAll(async () => {
  stage = await Stage.start(inject('pulumi'))
  const { description, control } = stage.services.sandbox
  ci = description.entra.deployer
  control.setState({ entra: registered })
  stack = await stage.stack('dev', { ownerObjectIds: `${person.objectId},${ci.objectId}` })
  await stack.must(['up', '--yes', '--skip-preview'], asPerson)
})
afterAll(() => stage.close())

it('each listed deployer has nothing to change after the other one, and may change the registration', async () => {
  const { services } = stage
  expect(services.registration().owners.toSorted()).toEqual([ci.objectId, person.objectId].toSorted())
  await services.forget()
  await stack.up()
  expect(await services.writes()).toEqual([])

  await stack.configure({ displayName: 'Of the CI' })
  await stack.up()
  expect(services.registration().displayName).toBe('Of the CI')
  await services.forget()
  await stack.must(['up', '--yes', '--skip-preview'], asPerson)
  expect(await services.writes()).toEqual([])
})
