import { fieldOf, listOf, textOf } from '../../json.ts'
import { formatTime } from '../../settings/readers.ts'
import type { SignInSettings } from '../../settings/stack-settings.ts'
import { shown } from '../../shown.ts'
import { types } from '../../stack-facts.ts'
import { findIn, ofType, type StackState, type StateResource } from '../../stack-state.ts'
import type { Read } from '../clients/cloudflare.ts'
import { connectGraph, type ReadGraph, readObject, readObjects } from '../clients/graph.ts'
import { differs, type Finding, ifRead, warns } from '../finding.ts'
import type { StackView } from '../stack.ts'
import { addedCredentials, federatedDifferences, grantDifferences } from './credentials.ts'
import { type Field, fieldDifferences, gone, sorted } from './fields.ts'
import { idOr, isLeftover, unknownInEntra } from './leftovers.ts'

/**
 * Compares the registration, its client secrets and its service principal with the state, which does not know what a
 * failed run left.
 */
export async function entraDifferences(
  stack: StackView,
  settings: SignInSettings,
  read: Read,
  env: NodeJS.ProcessEnv,
): Promise<readonly Finding[]> {
  const { state } = stack
  const application = findIn(state, types.application)
  const principal = findIn(state, types.principal)
  const graph = await connectGraph(settings, env)
  if ('problem' in graph) return [graph.problem]
  const parts = await Promise.all([
    application === null ? [] : registrationDifferences(state, application, settings, graph.value),
    principal === null ? [] : principalDifferences(principal, settings, graph.value),
    // A registration whose creation lost its answer is there before the state knows any.
    unknownInEntra(stack, settings, read, graph.value),
  ])
  return parts.flat()
}

/** Path of an object. The id in the state is already one, such as `/applications/OBJECT-ID`. */
const pathOf = ({ id }: StateResource): string => encodeURI(id ?? '')

async function registrationDifferences(
  state: StackState,
  application: StateResource,
  settings: SignInSettings,
  read: ReadGraph,
): Promise<readonly Finding[]> {
  const subject = 'The registration'
  const kept = settings.keptCredentials ?? []
  const found = await readObject(read, pathOf(application), 'the registration')
  if ('value' in found && found.value === null) {
    return [
      gone(subject, 'Nobody can sign in. Restore it in Entra, under Deleted applications, or run pulumi up.'),
    ]
  }
  return [
    ...ifRead(found, value => [
      ...fieldDifferences(subject, registrationFields(value, application)),
      ...secretDifferences(state, value, kept),
      ...addedCredentials('app', value, kept),
    ]),
    ...(await federatedDifferences(application, pathOf(application), kept, read)),
    ...(await ownerDifferences(subject, application, read)),
  ]
}

function registrationFields(found: unknown, { inputs }: StateResource): readonly Field[] {
  const web = fieldOf(found, 'web')
  const [grant, declaredGrant] = [
    fieldOf(web, 'implicitGrantSettings'),
    fieldOf(inputs['web'], 'implicitGrant'),
  ]
  const uris = (of: unknown) => sorted(listOf(fieldOf(of, 'redirectUris')))
  return [
    ['displayName', fieldOf(found, 'displayName'), inputs['displayName']],
    ['signInAudience', fieldOf(found, 'signInAudience'), inputs['signInAudience']],
    ['web.redirectUris', uris(web), uris(inputs['web'])],
    ['spa.redirectUris', uris(fieldOf(found, 'spa')), []],
    ['publicClient.redirectUris', uris(fieldOf(found, 'publicClient')), []],
    ['isFallbackPublicClient', fieldOf(found, 'isFallbackPublicClient') ?? false, false],
    ['identifierUris', sorted(listOf(fieldOf(found, 'identifierUris'))), []],
    ['appRoles', sorted(listOf(fieldOf(found, 'appRoles')).map(one => fieldOf(one, 'value'))), []],
    [
      'api.oauth2PermissionScopes',
      sorted(
        listOf(fieldOf(fieldOf(found, 'api'), 'oauth2PermissionScopes')).map(one => fieldOf(one, 'value')),
      ),
      [],
    ],
    [
      'enableAccessTokenIssuance',
      fieldOf(grant, 'enableAccessTokenIssuance'),
      fieldOf(declaredGrant, 'accessTokenIssuanceEnabled'),
    ],
    [
      'enableIdTokenIssuance',
      fieldOf(grant, 'enableIdTokenIssuance'),
      fieldOf(declaredGrant, 'idTokenIssuanceEnabled'),
    ],
    [
      'requiredResourceAccess',
      accessesOf(fieldOf(found, 'requiredResourceAccess'), 'resourceAccess'),
      accessesOf(inputs['requiredResourceAccesses'], 'resourceAccesses'),
    ],
  ]
}

/** Returns each requested permission as `API PERMISSION KIND`. */
const accessesOf = (accesses: unknown, list: string): readonly string[] =>
  sorted(
    listOf(accesses).flatMap(access =>
      listOf(fieldOf(access, list)).map(
        one => `${fieldOf(access, 'resourceAppId')} ${fieldOf(one, 'id')} ${fieldOf(one, 'type')}`,
      ),
    ),
  )

/** Compares the client secrets of the state with the registration, by their key ids. Their values cannot be read. */
function secretDifferences(
  state: StackState,
  application: unknown,
  kept: readonly string[],
): readonly Finding[] {
  const credentials = listOf(fieldOf(application, 'passwordCredentials'))
  const own = ofType(state, types.password)
  const clientId = textOf(application, 'appId') ?? ''
  // If an older state was restored, the secret that the Worker uses is one that the state does not know.
  const isSpare = own.every(
    ({ outputs, toDelete }) =>
      toDelete || credentials.some(one => fieldOf(one, 'keyId') === outputs['keyId']),
  )
  const unknown = credentials
    .filter(one => !own.some(({ outputs }) => outputs['keyId'] === fieldOf(one, 'keyId')))
    .filter(one => !kept.includes(textOf(one, 'keyId') ?? ''))
    .map((one): Finding => {
      const keyId = textOf(one, 'keyId') ?? ''
      return differs(
        `There is a client secret ${shown(keyId)} (${shown(textOf(one, 'displayName'))}) of the stack's registration, valid until ${shown(textOf(one, 'endDateTime'))}, which the state does not know. ${isLeftover} Otherwise somebody can act as the application with it.`,
        isSpare
          ? `Make sure that no run is under way, then delete it: az ad app credential delete --id ${idOr(clientId)} --key-id ${idOr(keyId)}.`
          : 'The Worker can use it, because a secret of the stack is gone. Run pulumi up first, which binds another one. Then run npm run drift again.',
      )
    })
  const known = own.flatMap(({ inputs, outputs, toDelete }) => {
    const name = `The client secret ${String(inputs['displayName'])}`
    const credential = credentials.find(one => fieldOf(one, 'keyId') === outputs['keyId'])
    if (toDelete) {
      const text = `${name} is replaced, but not yet deleted.`
      return [warns(text, 'Run pulumi up, which deletes it.')]
    }
    if (credential === undefined)
      return [gone(name, 'Run pulumi up, which creates another one and binds it.')]
    const ends = [fieldOf(credential, 'endDateTime'), inputs['endDate']].map(timeOf)
    return fieldDifferences(name, [['endDateTime', ends[0], ends[1]]])
  })
  return [...known, ...unknown]
}

function timeOf(text: unknown): string | null {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? null : formatTime(time)
}

async function principalDifferences(
  principal: StateResource,
  settings: SignInSettings,
  read: ReadGraph,
): Promise<readonly Finding[]> {
  const subject = 'The service principal'
  const kept = settings.keptCredentials ?? []
  const found = await readObject(read, pathOf(principal), 'the service principal')
  if ('value' in found && found.value === null) return [gone(subject)]
  const { inputs } = principal
  return [
    ...ifRead(found, value => [
      ...fieldDifferences(subject, [
        [
          'appRoleAssignmentRequired',
          fieldOf(value, 'appRoleAssignmentRequired'),
          inputs['appRoleAssignmentRequired'] ?? false,
        ],
        ['accountEnabled', fieldOf(value, 'accountEnabled'), inputs['accountEnabled'] ?? true],
      ]),
      ...addedCredentials('sp', value, kept),
    ]),
    ...(await grantDifferences(subject, pathOf(principal), read)),
    ...(await ownerDifferences(subject, principal, read)),
  ]
}

async function ownerDifferences(
  subject: string,
  resource: StateResource,
  read: ReadGraph,
): Promise<readonly Finding[]> {
  const owners = await readObjects(read, `${pathOf(resource)}/owners?$select=id`, `${subject}'s owners`)
  return ifRead(owners, found =>
    fieldDifferences(subject, [
      ['owners', sorted(found.map(one => fieldOf(one, 'id'))), sorted(listOf(resource.inputs['owners']))],
    ]),
  )
}
