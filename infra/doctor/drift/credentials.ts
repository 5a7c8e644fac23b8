import { fieldOf, listOf, textOf } from '../../json.ts'
import { shown } from '../../shown.ts'
import type { StateResource } from '../../stack-state.ts'
import { type ReadGraph, readObjects } from '../clients/graph.ts'
import { differs, type Finding, ifRead } from '../finding.ts'
import { idOr } from './leftovers.ts'

/** An object of Entra that can have credentials, and how az calls it. */
const holders = {
  app: 'The registration',
  sp: 'The service principal',
} as const

type Holder = keyof typeof holders

/**
 * Reports certificates, and client secrets of the service principal. The program declares none of them, but each
 * authenticates the application. Client secrets of the registration are declared, so `entra.ts` compares them.
 * @param found the object as Graph returns it
 * @param kept IDs of those that people keep
 */
export function addedCredentials(
  holder: Holder,
  found: unknown,
  kept: readonly string[],
): readonly Finding[] {
  const clientId = textOf(found, 'appId')
  const added = (kind: string, has: string, list: string, option: string) =>
    listOf(fieldOf(found, list)).flatMap(one => {
      const keyId = textOf(one, 'keyId')
      if (kept.includes(keyId ?? '')) return []
      return undeclared(
        `${holders[holder]} has ${kind} ${shown(keyId)} (${shown(textOf(one, 'displayName'))}), valid until ${shown(textOf(one, 'endDateTime'))}`,
        `Anybody who has ${has}`,
        `az ad ${holder} credential delete --id ${idOr(clientId)} --key-id ${idOr(keyId)}${option}`,
      )
    })
  return [
    ...(holder === 'sp' ? added('a client secret', 'it', 'passwordCredentials', '') : []),
    ...added('a certificate', 'its key', 'keyCredentials', ' --cert'),
  ]
}

/** Reports federated credentials of the registration: the program declares none. */
export async function federatedDifferences(
  { outputs }: StateResource,
  path: string,
  kept: readonly string[],
  read: ReadGraph,
): Promise<readonly Finding[]> {
  const clientId = textOf(outputs, 'clientId')
  const list = `${path}/federatedIdentityCredentials`
  return ifRead(await readObjects(read, list, 'the federated credentials'), found =>
    found
      .filter(one => !kept.includes(textOf(one, 'id') ?? ''))
      .map(one =>
        undeclared(
          `${holders.app} trusts ${shown(textOf(one, 'subject'))} of ${shown(textOf(one, 'issuer'))} (federated credential ${shown(textOf(one, 'name'))})`,
          'Anybody who gets such a token',
          `az ad app federated-credential delete --id ${idOr(clientId)} --federated-credential-id ${idOr(textOf(one, 'id'))}`,
        ),
      ),
  )
}

/** Scopes of a sign-in that give no access to data beyond the user's own profile. */
const signInScopes = ['User.Read', 'openid', 'profile', 'email', 'offline_access']

/** Reports permissions that somebody granted the service principal: the program declares none beyond the user's own profile. */
export async function grantDifferences(
  subject: string,
  path: string,
  read: ReadGraph,
): Promise<readonly Finding[]> {
  const fix =
    'Find out who granted it. Remove it in Entra, under Enterprise applications, Permissions, and read the sign-in log of the application.'
  const roles = await readObjects(read, `${path}/appRoleAssignments`, 'the application permissions')
  const grants = await readObjects(read, `${path}/oauth2PermissionGrants`, 'the delegated permissions')
  return [
    ...ifRead(roles, found =>
      found.map(
        (one): Finding =>
          differs(
            `${subject} has the application permission ${shown(textOf(one, 'appRoleId'))} of ${shown(textOf(one, 'resourceDisplayName') ?? textOf(one, 'resourceId'))}, which the program does not declare. Who has a client secret can use it without a user.`,
            fix,
          ),
      ),
    ),
    ...ifRead(grants, found =>
      found.flatMap((one): readonly Finding[] => {
        const scopes = (textOf(one, 'scope') ?? '').split(' ').filter(Boolean)
        const more = scopes.filter(scope => !signInScopes.includes(scope))
        if (more.length === 0) return []
        const text = `${subject} has the delegated permissions ${more.map(shown).join(', ')}, which the program does not declare.`
        return [differs(text, fix)]
      }),
    ),
  ]
}

const undeclared = (what: string, who: string, command: string): Finding =>
  differs(
    `${what}, which the program does not declare. ${who} can act as the application.`,
    `Find out who added it. If it is yours, list its ID in keptCredentials. If nobody needs it: ${command}.`,
  )
