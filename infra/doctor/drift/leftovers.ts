import { isGuid } from '../../../src/settings/guid.ts'
import { fieldOf, listOf, textOf } from '../../json.ts'
import type { SignInSettings, WorkerSettings } from '../../settings/stack-settings.ts'
import { shown } from '../../shown.ts'
import { types } from '../../stack-facts.ts'
import { findIn, ofType, type StackState } from '../../stack-state.ts'
import { type Read, readPages, resultOf, unread } from '../clients/cloudflare.ts'
import { type ReadGraph, readObjects } from '../clients/graph.ts'
import { differs, type Finding, ifRead, type ReadResult } from '../finding.ts'
import type { StackView } from '../stack.ts'

/** Why the state does not know something. */
export const isLeftover = 'A creation whose answer was lost leaves one.'

/**
 * Finds a database with the name that the stack's would have, if the state has none. The service refuses to create a second
 * one with its name, so every `pulumi up` stops there.
 */
export async function unknownDatabases(
  { serviceName, state }: StackView,
  worker: WorkerSettings,
  read: Read,
): Promise<readonly Finding[]> {
  if (findIn(state, types.database)) return []
  const path = `/accounts/${worker.accountId}/d1/database?${new URLSearchParams({ name: serviceName })}&`
  const databases = await readPages(read, path, 'the databases', 'D1 Read', one => ({
    id: textOf(one, 'uuid') ?? '',
    name: textOf(one, 'name') ?? '',
    createdOn: textOf(one, 'created_at'),
  }))
  if ('problem' in databases) return [databases.problem]
  const unknown = databases.value.filter(({ name }) => name === serviceName)
  if (unknown.length === 0) return []
  return ifRead(await bindingOf('EMPLOYEES', 'database_id', serviceName, worker, read), bound =>
    unknown.map(({ id, createdOn }) => {
      const text = `There is a database ${shown(id)} with the name ${serviceName}, created ${shown(createdOn)}, which the state does not know.`
      if (bound === id && findIn(state, types.script) === null) {
        return differs(
          `${text} A Worker of this name uses it: another stack has both, which was renamed, or the state of this one was lost.`,
          `If it is another stack's, give this one another name: pulumi stack rename. If it is this one's, ${adopt(worker.accountId, id)}.`,
        )
      }
      return differs(
        `${text} ${isLeftover} So does pulumi destroy.`,
        `Adopt it, which deletes nothing: ${adopt(worker.accountId, id)}.`,
      )
    }),
  )
}

const adopt = (accountId: string, id: string): string =>
  `pulumi import ${types.database} handler-database ${accountId}/${idOr(id)} --generate-code=false, then pulumi up`

/** Returns an id that is safe in a command. */
export const idOr = (id: string | null): string => (id !== null && isGuid(id) ? id : '…')

/** Reads a value that the deployed Worker is bound to; null if there is no Worker or no such binding. */
async function bindingOf(
  name: string,
  field: string,
  serviceName: string,
  { accountId }: WorkerSettings,
  read: Read,
): Promise<ReadResult<string | null>> {
  const answer = await read(`/accounts/${accountId}/workers/scripts/${serviceName}/settings`)
  if (answer.status === 404) return { value: null }
  const settings = resultOf(answer)
  if (settings === null) return unread(`what the Worker uses (${name})`, answer, 'Workers Scripts Read')
  const binding = listOf(fieldOf(settings, 'bindings')).find(one => fieldOf(one, 'name') === name)
  return { value: textOf(binding, field) ?? textOf(binding, 'id') }
}

/** Finds what the tenant has for the stack and the state does not know: registrations, and a service principal. */
export async function unknownInEntra(
  stack: StackView,
  settings: SignInSettings,
  read: Read,
  graph: ReadGraph,
): Promise<readonly Finding[]> {
  const parts = await Promise.all([
    unknownRegistrations(stack, settings, read, graph),
    unknownPrincipal(stack.state, graph),
  ])
  return parts.flat()
}

/** No stack shares a redirect URI. A killed creation can leave another display name than the declared one. */
async function unknownRegistrations(
  { state, serviceName }: StackView,
  settings: SignInSettings,
  read: Read,
  graph: ReadGraph,
): Promise<readonly Finding[]> {
  const known = ofType(state, types.application).map(({ outputs }) => outputs['clientId'])
  const path =
    '/applications?$select=id,appId,displayName,createdDateTime,web,passwordCredentials,keyCredentials&$top=999'
  const registrations = await readObjects(graph, path, 'the registrations')
  if ('problem' in registrations) return [registrations.problem]
  const own: readonly unknown[] = settings.redirectUris
  const unknown = registrations.value.filter(
    one =>
      listOf(fieldOf(fieldOf(one, 'web'), 'redirectUris')).some(uri => own.includes(uri)) &&
      !known.includes(fieldOf(one, 'appId')),
  )
  if (unknown.length === 0) return []
  const { worker } = settings
  // What a host uses cannot be read.
  const used = worker ? await bindingOf('CLIENT_ID', 'text', serviceName, worker, read) : { value: null }
  if ('problem' in used) return [used.problem]
  const parts = await Promise.all(
    unknown.map(async one =>
      ifRead(await countCredentials(one, graph), count => [
        unknownRegistration(one, count, used.value, worker !== null),
      ]),
    ),
  )
  return parts.flat()
}

/** Counts what authenticates a registration: client secrets, certificates and federated credentials. */
async function countCredentials(registration: unknown, graph: ReadGraph): Promise<ReadResult<number>> {
  const path = `/applications/${encodeURIComponent(textOf(registration, 'id') ?? '')}/federatedIdentityCredentials`
  const federated = await readObjects(graph, path, 'the federated credentials')
  if ('problem' in federated) return federated
  const own = ['passwordCredentials', 'keyCredentials'].flatMap(name => listOf(fieldOf(registration, name)))
  return { value: own.length + federated.value.length }
}

/** A handler on a host can use a registration with any of the credentials, and the Worker is not bound to it then. */
function unknownRegistration(
  one: unknown,
  credentials: number,
  used: string | null,
  hasWorker: boolean,
): Finding {
  const clientId = textOf(one, 'appId') ?? ''
  const text = `There is a registration ${shown(clientId)} (${shown(textOf(one, 'displayName'))}) with ${hasWorker ? 'the' : 'a'} redirect URI of the stack, created ${shown(textOf(one, 'createdDateTime'))}, which the state does not know.`
  if (clientId === used || credentials > 0) {
    const why =
      clientId === used
        ? 'The Worker signs people in with it.'
        : `It has ${credentials === 1 ? 'a credential' : `${credentials} credentials`}, so a handler can use it.`
    return differs(
      `${text} ${why}`,
      'Find out who created it, and whether its state was lost, before you delete anything.',
    )
  }
  return differs(
    `${text} It has no credential, ${hasWorker ? 'and the Worker does not use it' : 'so nothing can use it'}. ${isLeftover}`,
    `Make sure that no run is under way, then delete it: az ad app delete --id ${idOr(clientId)}.`,
  )
}

/** An application has one service principal. The provider refuses to create one while there is one that it does not know. */
async function unknownPrincipal(state: StackState, graph: ReadGraph): Promise<readonly Finding[]> {
  const clientId = findIn(state, types.application)?.outputs['clientId']
  if (typeof clientId !== 'string' || !isGuid(clientId) || findIn(state, types.principal)) return []
  const filter = new URLSearchParams({ $filter: `appId eq '${clientId}'` })
  const principals = await readObjects(graph, `/servicePrincipals?${filter}`, 'the service principal')
  return ifRead(principals, found =>
    found.map(one => {
      const id = textOf(one, 'id') ?? ''
      return differs(
        `There is a service principal ${shown(id)} of the stack's registration, which the state does not know. ${isLeftover}`,
        `Make sure that no run is under way, then delete it: az ad sp delete --id ${idOr(id)}. Then run pulumi up.`,
      )
    }),
  )
}
