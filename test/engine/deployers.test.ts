import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { graph } from '../../infra/stack-facts.ts'
import type { Deployer } from '../../sandbox/entra/graph/applications.ts'
import { type Stack, Stage } from '../support/engine/stack.ts'

const changesPlanned = 7
const nothingPlanned = 0
function deployerNumbered(digit: number): Deployer {
  const id = (part: string) => `${part.repeat(8)}-0000-4000-8000-${String(digit).repeat(12)}`
  return { clientId: id('c'), clientSecret: `secret~of.${digit}`.padEnd(40, 'x'), objectId: id('d') }
}
/** Registers applications that can register others, as docs/deploy.md does. */
const registered = (deployers: readonly Deployer[]) => ({
  applications: deployers.map(({ clientId, clientSecret }) => ({
    id: clientId,
    appId: clientId,
    displayName: 'A deployer',
    createdDateTime: '2026-11-01T00:00:00Z',
    owners: [],
    passwords: [
      {
        keyId: clientId,
        displayName: null,
        secretText: clientSecret,
        startDateTime: '2026-11-01T00:00:00Z',
        endDateTime: '2099-01-01T00:00:00Z',
      },
    ],
  })),
  servicePrincipals: deployers.map(({ clientId, objectId }) => ({
    id: objectId,
    appId: clientId,
    owners: [],
    appRoleAssignments: [{ id: objectId, appRoleId: graph.readWriteOwnedBy, resourceId: 'graph' }],
  })),
})
const [person, stranger] = [deployerNumbered(1), deployerNumbered(2)]
const as = ({ clientId, clientSecret }: Deployer) => ({
  ARM_CLIENT_ID: clientId,
  ARM_CLIENT_SECRET: clientSecret,
})
const up = ['up', '--yes', '--skip-preview']
const look = ['preview', '--diff', '--expect-no-changes']

let stage: Stage
let stack: Stack
/** The default deployer, who plays the CI's application. */
let ci: Deployer
beforeAll(async () => {
  stage = await Stage.start(inject('pulumi'))
  const { description, control } = stage.services.sandbox
  ci = description.entra.deployer
  control.setState({ entra: registered([person, stranger]) })
  stack = await stage.stack('dev', { ownerObjectIds: `${person.objectId},${ci.objectId}` })
  await stack.must(up, as(person))
})
afterAll(() => stage.close())

it('the CI has nothing to change after a person deployed first, and may change the registration', async () => {
  const { services } = stage
  expect(services.registration().owners.toSorted()).toEqual([ci.objectId, person.objectId].toSorted())
  expect((await stack.run(look)).status).toBe(nothingPlanned)
  await services.forget()
  await stack.up()
  expect(await services.writes()).toEqual([])

  await stack.configure({ displayName: 'Of the CI' })
  await stack.up()
  expect(services.registration().displayName).toBe('Of the CI')
})

it('the person has nothing to change after the CI deployed', async () => {
  expect((await stack.run(look, as(person))).status).toBe(nothingPlanned)
  await stage.services.forget()
  await stack.must(up, as(person))
  expect(await stage.services.writes()).toEqual([])
  expect(stage.services.registration().owners).toContain(ci.objectId)
})

it('an unlisted deployer sees in a preview that they would become an owner, and what to set', async () => {
  const { status, output } = await stack.run(look, as(stranger))
  expect(status).toBe(changesPlanned)
  expect(output).toContain(`ownerObjectIds does not list ${stranger.objectId}`)
  expect(output).toContain(`ownerObjectIds ${person.objectId},${ci.objectId},${stranger.objectId}`)
})

it('without the list every deployer becomes the only owner, which the runbook prevents', async () => {
  await stack.configure({ ownerObjectIds: undefined })
  const { status, output } = await stack.run(look)
  expect(status).toBe(changesPlanned)
  expect(output).toContain('owners')
  expect(output).toContain(person.objectId)
})
