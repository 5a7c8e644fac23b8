import type { HttpAnswer } from '../../http/delivery.ts'
import { jsonAnswer } from '../answer.ts'
import type { Tenant } from '../tenant.ts'
import { type Application, type Bearer, newClientSecret, type Password } from './applications.ts'
import { graphFailure } from './profile.ts'
import { InvalidRegistration, readRegistration } from './registration.ts'

/** An authenticated request about applications or service principals. */
export interface DirectoryCall {
  readonly tenant: Tenant
  readonly bearer: Bearer
  readonly id: string
  readonly query: URLSearchParams
  readonly sent: Readonly<Record<string, unknown>>
  readonly asked: string | undefined
}

export const noContent: HttpAnswer = { status: 204, headers: {}, body: '' }
const passwordYears = 2
const shownCharacters = 3

export const notFound = ({ tenant, id, asked }: DirectoryCall): HttpAnswer =>
  graphFailure(
    tenant,
    404,
    'Request_ResourceNotFound',
    `Resource '${id}' does not exist or one of its queried reference-property objects are not present.`,
    { asked },
  )

export const badRequest = ({ tenant, asked }: DirectoryCall, message: string): HttpAnswer =>
  graphFailure(tenant, 400, 'Request_BadRequest', message, { asked })

export const denied = ({ tenant, asked }: DirectoryCall): HttpAnswer =>
  graphFailure(
    tenant,
    403,
    'Authorization_RequestDenied',
    'Insufficient privileges to complete the operation.',
    { asked },
  )

const passwordView = ({ secretText, ...password }: Password) => ({
  customKeyIdentifier: null,
  ...password,
  hint: secretText.slice(0, shownCharacters),
  secretText: null,
})

const view = ({ owners: _owners, passwords, ...application }: Application) => ({
  ...application,
  publisherDomain: 'homeport.example',
  deletedDateTime: null,
  identifierUris: [],
  keyCredentials: [],
  passwordCredentials: passwords.map(passwordView),
})

/** Returns the object ids in references such as `https://graph/v1.0/directoryObjects/{id}`. */
export const referencedIds = (references: unknown): string[] =>
  Array.isArray(references) ? references.map(url => String(url).split('/').at(-1) ?? '') : []

function registrationOf(call: DirectoryCall, before?: Application) {
  try {
    return readRegistration(call.sent, before)
  } catch (error) {
    if (error instanceof InvalidRegistration) return badRequest(call, error.message)
    throw error
  }
}

/** POST /applications. The creator becomes an owner, next to the owners in the body. */
export function createApplication(call: DirectoryCall): HttpAnswer {
  const { tenant, bearer, sent } = call
  const registration = registrationOf(call)
  if ('status' in registration) return registration
  const owners = [bearer.objectId, ...referencedIds(sent['owners@odata.bind'])]
  const application: Application = {
    id: tenant.applicationIds.uuid(),
    appId: tenant.applicationIds.uuid(),
    createdDateTime: new Date(tenant.clock.now()).toISOString(),
    ...registration,
    owners: [...new Set(owners)],
    passwords: [],
  }
  tenant.applications.applications.set(application.id, application)
  return jsonAnswer(201, view(application))
}

/** One comparison, such as `appId eq '…'`. A quote in the value is doubled. */
const filterRule = /^(displayName|appId) eq '((?:[^']|'')*)'$/

/** Applies a `$filter`. Returns undefined if the filter is not supported. */
export function filtered<T extends object>(elements: readonly T[], filter: string | null): T[] | undefined {
  if (filter === null) return [...elements]
  const [, property = '', quoted = ''] = filterRule.exec(filter) ?? []
  const value = quoted.replaceAll("''", "'")
  return property === ''
    ? undefined
    : elements.filter(element =>
        Object.entries(element).some(([key, its]) => key === property && its === value),
      )
}

export function listApplications(call: DirectoryCall): HttpAnswer {
  const all = [...call.tenant.applications.applications.values()].map(view)
  const found = filtered(all, call.query.get('$filter'))
  return found === undefined
    ? badRequest(call, 'This $filter is not supported.')
    : jsonAnswer(200, { value: found })
}

/** Finds the application of a call. Only owners can write, as with `Application.ReadWrite.OwnedBy`. */
const withApplication =
  (writing: boolean, answer: (call: DirectoryCall, application: Application) => HttpAnswer) =>
  (call: DirectoryCall): HttpAnswer => {
    const application = call.tenant.applications.applications.get(call.id)
    if (application === undefined) return notFound(call)
    return writing && !application.owners.includes(call.bearer.objectId)
      ? denied(call)
      : answer(call, application)
  }

function put({ tenant }: DirectoryCall, application: Application): void {
  tenant.applications.applications.set(application.id, application)
}

export const getApplication = withApplication(false, (_, application) => jsonAnswer(200, view(application)))

export const patchApplication = withApplication(true, (call, application) => {
  const registration = registrationOf(call, application)
  if ('status' in registration) return registration
  put(call, { ...application, ...registration })
  return noContent
})

/** DELETE /applications/{id}. The service principal is deleted too. */
export const deleteApplication = withApplication(true, ({ tenant }, { id, appId }) => {
  tenant.applications.applications.delete(id)
  const principal = tenant.applications.principalOf(appId)
  if (principal) tenant.applications.principals.delete(principal.id)
  return noContent
})

const instant = (value: unknown): string | undefined =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : undefined

function yearsFrom(start: string): string {
  const end = new Date(start)
  end.setUTCFullYear(end.getUTCFullYear() + passwordYears)
  return end.toISOString()
}

/** POST …/addPassword. Only this response shows the secret. */
export const addPassword = withApplication(true, (call, application) => {
  const { tenant, sent } = call
  const wanted = Object(sent['passwordCredential']) as Readonly<Record<string, unknown>>
  const startDateTime = instant(wanted['startDateTime']) ?? new Date(tenant.clock.now()).toISOString()
  const endDateTime = instant(wanted['endDateTime']) ?? yearsFrom(startDateTime)
  if (Date.parse(endDateTime) <= Date.parse(startDateTime)) {
    return badRequest(call, 'Credential lifetime is not valid: endDateTime is not after startDateTime.')
  }
  const { displayName } = wanted
  const password: Password = {
    keyId: tenant.applicationIds.uuid(),
    displayName: typeof displayName === 'string' ? displayName : null,
    secretText: newClientSecret(tenant.applicationIds),
    startDateTime,
    endDateTime,
  }
  put(call, { ...application, passwords: [...application.passwords, password] })
  return jsonAnswer(200, { ...passwordView(password), secretText: password.secretText })
})

/** POST …/removePassword */
export const removePassword = withApplication(true, (call, application) => {
  const left = application.passwords.filter(({ keyId }) => keyId !== call.sent['keyId'])
  if (left.length === application.passwords.length) {
    return badRequest(call, `No password credential found with keyId '${String(call.sent['keyId'])}'.`)
  }
  put(call, { ...application, passwords: left })
  return noContent
})
