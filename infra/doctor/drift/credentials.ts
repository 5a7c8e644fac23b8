import { fieldOf, listOf, textOf } from '../../json.ts'
import { shown } from '../../shown.ts'
import type { StateResource } from '../../stack-state.ts'
import { type ReadGraph, readObjects } from '../clients/graph.ts'
import { type Finding, ifRead } from '../finding.ts'
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
 */
export function addedCredentials(holder: Holder, found: unknown): readonly Finding[] {
  const clientId = textOf(found, 'appId')
  const added = (kind: string, has: string, list: string, option: string) =>
    listOf(fieldOf(found, list)).map(one => {
      const keyId = textOf(one, 'keyId')
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
  read: ReadGraph,
): Promise<readonly Finding[]> {
  const clientId = textOf(outputs, 'clientId')
  const list = `${path}/federatedIdentityCredentials`
  return ifRead(await readObjects(read, list, 'the federated credentials'), found =>
    found.map(one =>
      undeclared(
        `${holders.app} trusts ${shown(textOf(one, 'subject'))} of ${shown(textOf(one, 'issuer'))} (federated credential ${shown(textOf(one, 'name'))})`,
        'Anybody who gets such a token',
        `az ad app federated-credential delete --id ${idOr(clientId)} --federated-credential-id ${idOr(textOf(one, 'id'))}`,
      ),
    ),
  )
}

const undeclared = (what: string, who: string, command: string): Finding => ({
  level: 'error',
  text: `${what}, which the program does not declare. ${who} can act as the application.`,
  fix: `Find out who added it. If nobody needs it: ${command}.`,
})
