import { formatSecond } from '../../http/clock.ts'
import { wholeBody } from '../../http/validation.ts'
import { jsonAnswer } from '../answer.ts'
import { type Application, passwordView } from './applications.ts'
import { badRequest, notFound } from './call.ts'
import {
  type Collection,
  commonOperations,
  type GraphOperation,
  initialOwners,
  noContent,
  onObject,
  orBadRequest,
} from './collection.ts'
import { keyCredentialView, readFederatedCredential, readKeyCredentials } from './credentials.ts'
import { addPassword } from './passwords.ts'
import { readRegistration } from './registration.ts'

const applications: Collection<Application> = {
  objects: tenant => tenant.applications.applications,
  view: (
    _,
    { owners: _owners, passwords, keyCredentials, federatedIdentityCredentials: _federated, ...application },
  ) => ({
    ...application,
    publisherDomain: 'homeport.example',
    deletedDateTime: null,
    keyCredentials: keyCredentials.map(keyCredentialView),
    passwordCredentials: passwords.map(passwordView),
  }),
  change: ({ sent, tenant }, application) => {
    // documented: keyCredentials in a PATCH or POST replaces all certificates. An element without `key` keeps the certificate
    // with its keyId. Responses do not contain `key`. [Graph REST reference v1.0, application]
    return {
      ...application,
      ...readRegistration(sent, application),
      keyCredentials: sent['keyCredentials']
        ? readKeyCredentials(sent['keyCredentials'], application.keyCredentials, tenant.applicationIds)
        : application.keyCredentials,
    }
  },
  /** Also deletes the service principal. */
  remove({ applications: kept }, { id, appId }) {
    kept.applications.delete(id)
    const principal = kept.principalOf(appId)
    if (principal) kept.principals.delete(principal.id)
  },
}

/** Handles POST /applications. */
const createApplication: GraphOperation = call => {
  const { tenant, sent } = call
  // documented: POST returns 201 with id, appId and an empty list of passwords. [Graph REST reference v1.0, application]
  // documented: The creator of an application owns it. [Graph permissions reference, Application.ReadWrite.OwnedBy]
  return orBadRequest(call, () => {
    const application: Application = {
      id: tenant.applicationIds.uuid(),
      appId: tenant.applicationIds.uuid(),
      createdDateTime: formatSecond(tenant.clock.now()),
      ...readRegistration(sent),
      owners: initialOwners(call),
      passwords: [],
      keyCredentials: readKeyCredentials(sent['keyCredentials'] ?? [], [], tenant.applicationIds),
      federatedIdentityCredentials: [],
    }
    tenant.applications.applications.set(application.id, application)
    return jsonAnswer(201, applications.view(call, application))
  })
}

/** Handles POST …/removePassword. */
const removePassword = onObject(applications, 'write', (call, application, put) => {
  // documented: removePassword returns 204 and keeps the other passwords. [Graph REST reference v1.0, application]
  const { keyId } = call.sent
  const left = application.passwords.filter(password => password.keyId !== keyId)
  if (left.length === application.passwords.length) {
    return badRequest(call, `No password credential found with keyId '${String(keyId)}'.`)
  }
  put({ ...application, passwords: left })
  return noContent
})

/** Handles GET …/federatedIdentityCredentials. */
const listFederated = onObject(applications, 'read', (_, { federatedIdentityCredentials: value }) => {
  // documented: GET lists the federated credentials of an application. [Graph REST reference v1.0, federatedIdentityCredential]
  return jsonAnswer(200, { value })
})

/** Handles POST …/federatedIdentityCredentials. */
const addFederated = onObject(applications, 'write', (call, application, put) => {
  // documented: POST returns 201. A federated credential has a name, an issuer, a subject and one audience. [Graph REST
  // reference v1.0, federatedIdentityCredential]
  return orBadRequest(call, () => {
    const known = application.federatedIdentityCredentials
    const sent = readFederatedCredential(call.sent, wholeBody)
    const same = known.some(({ issuer, subject }) => issuer === sent.issuer && subject === sent.subject)
    if (same || known.some(({ name }) => name === sent.name)) {
      // documented: Within an application, each name is unique, and so is each pair of issuer and subject. Assumed: a request
      // for a duplicate gets 400. [Graph REST reference v1.0, federatedIdentityCredential]
      return badRequest(call, 'Another federated credential has this name, or this issuer and subject.')
    }
    const credential = { id: call.tenant.applicationIds.uuid(), ...sent }
    put({ ...application, federatedIdentityCredentials: [...known, credential] })
    return jsonAnswer(201, credential)
  })
})

/** Handles DELETE …/federatedIdentityCredentials/{id}. */
const removeFederated = onObject(applications, 'write', (call, application, put) => {
  // documented: DELETE removes a federated credential and returns 204. [Graph REST reference v1.0, federatedIdentityCredential]
  const known = application.federatedIdentityCredentials
  const left = known.filter(({ id }) => id !== call.part)
  if (left.length === known.length) return notFound(call)
  put({ ...application, federatedIdentityCredentials: left })
  return noContent
})

export const applicationOperations = {
  ...commonOperations(applications),
  'POST /': createApplication,
  'POST addPassword': addPassword(applications),
  'POST removePassword': removePassword,
  'GET federatedIdentityCredentials': listFederated,
  'POST federatedIdentityCredentials': addFederated,
  'DELETE federatedIdentityCredential': removeFederated,
}
