import { quoteValue } from '../../lib/quote.ts'
import { isGuid } from '../../lib/settings/readers.ts'
import { findIn, ofType, presentIn, type StateResource } from '../exported-state.ts'
import { fieldOf, listOf, textOf, valueAt } from '../json.ts'
import { types } from '../resource-names.ts'
import { howToDelete, idOr, leftoverCause } from './cloudflare.ts'
import { type Difference, differs, fieldDifferences, gone, lacking } from './difference.ts'
import type { Check, Look } from './look.ts'
import { objectPath, secondOf } from './rows.ts'

const credentialOf = (one: unknown): string =>
  `${quoteValue(textOf(one, 'keyId'))} (${quoteValue(textOf(one, 'displayName'))}), valid until ${quoteValue(textOf(one, 'endDateTime'))}`

/** Returns the credentials of a list that nobody said to keep. */
const unkept = ({ settings: { signIn } }: Look, list: unknown, id = 'keyId') =>
  listOf(list).filter(one => !signIn?.keptCredentials?.includes(textOf(one, id) ?? ''))

/** Compares the client secrets of the registration with the state, by their key ids. Their values cannot be read. */
const secretChecks: Check = async look => {
  const { graph, state } = look
  const application = findIn(state, types.application)
  const found = application && (await graph?.one(objectPath(application), 'the registration'))
  if (!found) return []
  const credentials = listOf(fieldOf(found, 'passwordCredentials'))
  const own = ofType(state, types.password)
  const credentialFor = (keyId: unknown) => credentials.find(one => fieldOf(one, 'keyId') === keyId)
  const present = presentIn(state, types.password)
  // If an older state was restored, the secret that the Worker uses is one that the state does not know.
  const isSpare = present.every(({ outputs }) => credentialFor(outputs['keyId']))
  return [
    ...present.flatMap(({ inputs, outputs }) => {
      const name = `The client secret ${String(inputs['displayName'])}`
      const one = credentialFor(outputs['keyId'])
      return one
        ? fieldDifferences(name, [
            ['endDateTime', secondOf(fieldOf(one, 'endDateTime')), secondOf(inputs['endDate'])],
          ])
        : [gone(name, 'Run pulumi up, which creates another one and binds it.')]
    }),
    ...unkept(look, credentials)
      .filter(one => !own.some(({ outputs }) => outputs['keyId'] === fieldOf(one, 'keyId')))
      .map(one =>
        differs(
          `There is a client secret ${credentialOf(one)}, of the stack's registration, which the state does not know. ${leftoverCause} Otherwise, somebody can act as the application with it.`,
          isSpare
            ? `${howToDelete}: az ad app credential delete --id ${idOr(textOf(found, 'appId'))} --key-id ${idOr(textOf(one, 'keyId'))}.`
            : 'The Worker can use it, because a secret of the stack is gone. Run pulumi up first, which binds another one. Then run npm run drift again.',
        ),
      ),
  ]
}

/** Reports a credential that the program does not declare. Any of them authenticates the application. */
const undeclared = (what: string, who: string, command: string): Difference =>
  differs(
    `${what}, which the program does not declare. ${who} can act as the application.`,
    `Find out who added it. If it is yours, list its ID in keptCredentials. If nobody needs it: ${command}.`,
  )

/** Finds certificates, federated credentials, and client secrets of the service principal. */
const credentialChecks: Check = async look => {
  const holders = [
    { holder: 'app', title: 'The registration', one: findIn(look.state, types.application) },
    { holder: 'sp', title: 'The service principal', one: findIn(look.state, types.principal) },
  ] as const
  const parts = holders.map(async ({ holder, title, one }) => {
    const path = one && objectPath(one)
    const found = path && (await look.graph?.one(path, title.replace('The', 'the')))
    if (!look.graph || !found) return []
    const command = (name: string) => `az ad ${holder} ${name} delete --id ${idOr(textOf(found, 'appId'))}`
    const federated =
      holder === 'app'
        ? await look.graph.all(`${path}/federatedIdentityCredentials`, 'the federated credentials')
        : []
    const own = holder === 'app' ? presentIn(look.state, types.certificate) : []
    const certificates = listOf(fieldOf(found, 'keyCredentials'))
    const isOf = (each: unknown) => (it: StateResource) => it.outputs['keyId'] === fieldOf(each, 'keyId')
    const keyOf = (each: unknown) => `${command('credential')} --key-id ${idOr(textOf(each, 'keyId'))}`
    return [
      ...unkept(look, holder === 'sp' ? fieldOf(found, 'passwordCredentials') : []).map(each =>
        undeclared(`${title} has a client secret ${credentialOf(each)}`, 'Anybody who has it', keyOf(each)),
      ),
      ...own
        .filter(it => !certificates.some(each => isOf(each)(it)))
        .map(() => gone('A certificate of the registration', 'Run pulumi up, which registers it again.')),
      ...unkept(
        look,
        certificates.filter(each => !own.some(isOf(each))),
      ).map(each =>
        undeclared(
          `${title} has a certificate ${credentialOf(each)}`,
          'Anybody who has its key',
          `${keyOf(each)} --cert`,
        ),
      ),
      ...unkept(look, federated, 'id').map(each =>
        undeclared(
          `${title} trusts ${quoteValue(textOf(each, 'subject'))} of ${quoteValue(textOf(each, 'issuer'))} (federated credential ${quoteValue(textOf(each, 'name'))})`,
          'Anybody who gets such a token',
          `${command('federated-credential')} --federated-credential-id ${idOr(textOf(each, 'id'))}`,
        ),
      ),
    ]
  })
  return (await Promise.all(parts)).flat()
}

/** Scopes of a sign-in that give no access to data beyond the user's own profile. */
const signInScopes = ['User.Read', 'openid', 'profile', 'email', 'offline_access']

/** Finds permissions that somebody granted the service principal: the program declares none beyond the user's own profile. */
const grantChecks: Check = async ({ graph, state }) => {
  const principal = findIn(state, types.principal)
  if (!graph || !principal) return []
  const path = objectPath(principal)
  if ((await graph.one(path, 'the service principal')) === null) return []
  const roles = await graph.all(`${path}/appRoleAssignments`, 'the application permissions')
  const grants = await graph.all(`${path}/oauth2PermissionGrants`, 'the delegated permissions')
  const granted = (what: string, danger = '') =>
    differs(
      `The service principal has ${what}, which the program does not declare.${danger}`,
      'Find out who granted it. Remove it in Entra, under Enterprise applications, Permissions, and read the sign-in log of the application.',
    )
  return [
    ...roles.map(one =>
      granted(
        `the application permission ${quoteValue(textOf(one, 'appRoleId'))} of ${quoteValue(textOf(one, 'resourceDisplayName') ?? textOf(one, 'resourceId'))}`,
        ' Who has a client secret can use it without a user.',
      ),
    ),
    ...grants.flatMap(one => {
      const scopes = (textOf(one, 'scope') ?? '').split(' ').filter(Boolean)
      const more = scopes.filter(scope => !signInScopes.includes(scope))
      return more.length === 0
        ? []
        : [granted(`the delegated permissions ${more.map(quoteValue).join(', ')}`)]
    }),
  ]
}

/**
 * Finds registrations with a redirect URI of the stack that the state does not know. No stack shares one. A killed creation can
 * leave another display name than the declared one, and none at all in the state.
 */
const registrationChecks: Check = async ({ graph, state, settings: { signIn } }) => {
  if (!graph) return []
  const known = ofType(state, types.application).map(({ outputs }) => outputs['clientId'])
  const own: readonly unknown[] = signIn?.redirectUris ?? []
  const path =
    '/applications?$select=id,appId,displayName,createdDateTime,web,passwordCredentials,keyCredentials&$top=999'
  const unknown = (await graph.all(path, 'the registrations')).filter(
    one =>
      listOf(valueAt(one, 'web.redirectUris')).some(uri => own.includes(uri)) &&
      !known.includes(fieldOf(one, 'appId')),
  )
  return Promise.all(
    unknown.map(async one => {
      const clientId = textOf(one, 'appId')
      const object = `/applications/${encodeURIComponent(textOf(one, 'id') ?? '')}`
      const credentials = [
        ...['passwordCredentials', 'keyCredentials'].flatMap(name => listOf(fieldOf(one, name))),
        ...(await graph.all(`${object}/federatedIdentityCredentials`, 'the federated credentials')),
      ]
      const text = `There is a registration ${quoteValue(clientId)} (${quoteValue(textOf(one, 'displayName'))}) with a redirect URI of the stack, created ${quoteValue(textOf(one, 'createdDateTime'))}, which the state does not know.`
      // A handler can use it with any of them.
      return credentials.length > 0
        ? differs(
            `${text} It has ${credentials.length === 1 ? 'a credential' : `${credentials.length} credentials`}, so a handler can use it.`,
            'Find out who created it, and whether its state was lost, before you delete anything.',
          )
        : differs(
            `${text} It has no credential, so nothing can use it. ${leftoverCause}`,
            `${howToDelete}: az ad app delete --id ${idOr(clientId)}.`,
          )
    }),
  )
}

/** Finds a service principal that the state does not know. The provider refuses to create one while there is one. */
const principalChecks: Check = async ({ graph, state }) => {
  if (!graph || findIn(state, types.principal)) return []
  const clientId = findIn(state, types.application)?.outputs['clientId']
  const isKnown = typeof clientId === 'string' && isGuid(clientId)
  const filter = new URLSearchParams({ $filter: `appId eq '${clientId}'` })
  const found = isKnown ? await graph.all(`/servicePrincipals?${filter}`, 'the service principals') : []
  if (found.length === 0) return lacking('the service principal')
  return found.map(one =>
    differs(
      `There is a service principal ${quoteValue(textOf(one, 'id'))} of the stack's registration, which the state does not know. ${leftoverCause}`,
      `${howToDelete}: az ad sp delete --id ${idOr(textOf(one, 'id'))}. Then run pulumi up.`,
    ),
  )
}

export const entraChecks = [secretChecks, credentialChecks, grantChecks, registrationChecks, principalChecks]
