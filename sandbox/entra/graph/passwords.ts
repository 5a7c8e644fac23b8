import { formatSecond } from '../../http/clock.ts'
import { jsonAnswer } from '../answer.ts'
import { newClientSecret, type Password, passwordView } from './applications.ts'
import { badRequest } from './call.ts'
import { type Collection, type GraphOperation, type Owned, onObject } from './collection.ts'
import { readPassword } from './registration.ts'

const passwordYears = 2

/** Returns the default end of a password. */
function endOf(start: string): string {
  const end = new Date(start)
  end.setUTCFullYear(end.getUTCFullYear() + passwordYears)
  return formatSecond(end.getTime())
}

/** Handles POST …/addPassword of an application. */
export const addPassword = <Kept extends Owned & { readonly passwords: readonly Password[] }>(
  collection: Collection<Kept>,
): GraphOperation =>
  onObject(collection, 'write', (call, kept, put) => {
    const { tenant, sent } = call
    // documented: addPassword returns 200. Only this response contains the secret. [Graph REST reference v1.0, application]
    // documented: A password is valid for two years unless the request sets an end. [Graph REST reference v1.0, application]
    // tried: Times are in UTC, end in Z and have no fraction. A time sent in this format is returned unchanged. [the calls of
    // azuread 6.9.1, which compares times as text]
    const requested = readPassword(sent['passwordCredential'])
    const startDateTime = requested.startDateTime ?? formatSecond(tenant.clock.now())
    const endDateTime = requested.endDateTime ?? endOf(startDateTime)
    if (Date.parse(endDateTime) <= Date.parse(startDateTime)) {
      return badRequest(call, 'The credential lifetime is invalid: endDateTime must be after startDateTime.')
    }
    const password: Password = {
      keyId: tenant.applicationIds.uuid(),
      displayName: requested.displayName,
      secretText: newClientSecret(tenant.applicationIds),
      startDateTime,
      endDateTime,
    }
    put({ ...kept, passwords: [...kept.passwords, password] })
    return jsonAnswer(200, { ...passwordView(password), secretText: password.secretText })
  })
