import { expect, it } from 'vitest'
import { checkEntra } from '../../../infra/bootstrap/entra.ts'
import { clientId, driftClientId, methodsSent, useSetup } from '../support/bootstrap.ts'
import { type Line, matching } from '../support/facts.ts'

const setup = useSetup()

const readAll = '9a5d68dd-52b0-4cc2-bd40-abcf44ac3a30'
const readWriteOwnedBy = '18a4783c-866b-4cc7-a460-3d5e5662c884'
const subject = 'repo:homeport@100000/homeport@100001'
const stranger = '99999999-2222-3333-4444-555555555555'
const credential = (environment: string, changes: object = {}) => ({
  id: environment,
  name: environment,
  issuer: 'https://token.actions.githubusercontent.com',
  subject: `${subject}:environment:${environment}`,
  audiences: ['api://AzureADTokenExchange'],
  ...changes,
})
const elsewhere = credential('else', { subject: 'repo:x/y:environment:infra' })

/** What differs from two applications that are as the page creates them. */
interface Difference {
  readonly trusted?: readonly object[]
  readonly roles?: readonly string[]
  readonly driftRoles?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly owners?: readonly string[]
}

function set({
  trusted = [credential('infra')],
  roles = [readWriteOwnedBy],
  driftRoles = [readAll],
}: Difference) {
  const those = [
    ['ci', clientId, trusted, roles],
    ['drift', driftClientId, [credential('infra-drift')], driftRoles],
  ] as const
  setup.sandbox.control.setState({
    entra: {
      applications: those.map(([id, appId, federatedIdentityCredentials]) => ({
        id: `application-${id}`,
        appId,
        displayName: `homeport-${id}`,
        createdDateTime: '2026-11-01T00:00:00Z',
        owners: [],
        passwords: [],
        federatedIdentityCredentials,
      })),
      servicePrincipals: those.map(([id, appId, , granted]) => ({
        id: `principal-${id}`,
        appId,
        owners: [],
        appRoleAssignments: granted.map(appRoleId => ({ id: appRoleId, appRoleId, resourceId: 'graph' })),
      })),
    },
  })
}

const untrusted = `No federated credential of homeport-ci … infra. … "${subject}:environment:infra"`
const more = 'bdfbf15f-ee85-4955-8675-146e8e5296b5'
it.each<[string, Difference, ...Line[]]>([
  ['as the page creates them, and listed as an owner', { owners: ['principal-ci'] }],
  ['trusted for another audience', { trusted: [credential('infra', { audiences: ['x'] })] }, untrusted],
  ['trusted by another issuer', { trusted: [credential('infra', { issuer: 'https://x' })] }, untrusted],
  [
    'trusting the environment that nobody approves',
    { trusted: [credential('infra-drift')] },
    untrusted,
    `homeport-ci also trusts "${subject}:environment:infra-drift"`,
  ],
  [
    'trusting two environments',
    { trusted: [credential('infra'), credential('infra-drift')] },
    /also trusts .*\. az ad app federated-credential delete --id "\$ARM_CLIENT_ID" --federated-credential-id infra-drift$/,
  ],
  ...(
    [
      [{ GITHUB_TOKEN: '' }, 'GITHUB_TOKEN is not set'],
      [{ GITHUB_REPOSITORY: 'homeport' }, 'GITHUB_REPOSITORY is "homeport"'],
      [{ GITHUB_TOKEN: 'x' }, 'GitHub answered 401 about homeport/homeport'],
    ] as const
  ).map(([unread, cause]): [string, Difference, ...Line[]] => [
    `compared with no repository, since ${cause}`,
    { env: unread, trusted: [elsewhere] },
    `homeport-ci … not checked: ${cause}`,
    `homeport-ci-drift … not checked: ${cause}`,
  ]),
  [
    'permitted more',
    { roles: [readWriteOwnedBy, more] },
    `homeport-ci … "${more}" … only Application.ReadWrite.OwnedBy … az rest --method DELETE --url … /appRoleAssignments/${more}"`,
  ],
  [
    'permitted nothing, or something else',
    { roles: [], driftRoles: [readWriteOwnedBy] },
    'homeport-ci lacks Application.ReadWrite.OwnedBy … consent',
    'homeport-ci-drift lacks Application.Read.All … consent',
    `homeport-ci-drift … "${readWriteOwnedBy}" … only Application.Read.All`,
  ],
  [
    'listed as an owner by the client ID',
    { owners: [clientId] },
    'ownerObjectIds lacks principal-ci, the Object ID of homeport-ci',
  ],
  [
    'unknown in this tenant',
    { env: { ARM_CLIENT_ID: stranger, ARM_DRIFT_CLIENT_ID: stranger } },
    'No application … ARM_CLIENT_ID',
    'No application … ARM_DRIFT_CLIENT_ID',
  ],
  [
    'named by what is no ID',
    { env: { ARM_CLIENT_ID: "x' or true", ARM_DRIFT_CLIENT_ID: '' } },
    'ARM_CLIENT_ID is not set',
    'ARM_DRIFT_CLIENT_ID is not set',
  ],
  ['not read without a token', { env: { HOMEPORT_GRAPH_TOKEN: '' } }, 'HOMEPORT_GRAPH_TOKEN is not set'],
  ['not read with an old one', { env: { HOMEPORT_GRAPH_TOKEN: 'old' } }, 'Graph answered 401. … az account'],
])('the applications for CI are %s', async (_, given, ...expected) => {
  set(given)
  const findings = await checkEntra({ ...setup.env, ...given.env }, given.owners)
  const lines = findings.filter(({ level }) => level === 'missing').map(({ text, fix }) => `${text} ${fix}`)
  expect(lines).toEqual(matching(expected))
  expect(methodsSent(setup)).toEqual(['GET'])
})
