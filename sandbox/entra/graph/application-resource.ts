import { formatSecond } from '../../http/clock.ts'
import { jsonAnswer } from '../answer.ts'
import { type Application, passwordView } from './applications.ts'
import { badRequest } from './call.ts'
import {
  type Collection,
  commonOperations,
  type GraphOperation,
  initialOwners,
  noContent,
  onObject,
} from './collection.ts'
import { type FederatedCredential, keyCredentialView, readKeyCredentials } from './credentials.ts'
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
  change: ({ sent, tenant }, application) => ({
    ...application,
    ...readRegistration(sent, application),
    ...('keyCredentials' in sent && {
      keyCredentials: readKeyCredentials(
        sent['keyCredentials'],
        application.keyCredentials,
        tenant.clock.now(),
      ),
    }),
  }),
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
  const application: Application = {
    id: tenant.applicationIds.uuid(),
    appId: tenant.applicationIds.uuid(),
    createdDateTime: formatSecond(tenant.clock.now()),
    ...readRegistration(sent),
    owners: initialOwners(call),
    passwords: [],
    keyCredentials: [],
    federatedIdentityCredentials: [],
  }
  tenant.applications.applications.set(application.id, application)
  return jsonAnswer(201, applications.view(call, application))
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
  // documented: POST returns 201. A federated credential has a name, an issuer, a subject and one audience. Not checked here:
  // only the commands of our pages send one. [Graph REST reference v1.0, federatedIdentityCredential]
  const { name, issuer, subject, audiences } = call.sent as Omit<FederatedCredential, 'id'>
  const credential = { id: call.tenant.applicationIds.uuid(), name, issuer, subject, audiences }
  const federatedIdentityCredentials = [...application.federatedIdentityCredentials, credential]
  put({ ...application, federatedIdentityCredentials })
  return jsonAnswer(201, credential)
})

export const applicationOperations = {
  ...commonOperations(applications),
  'POST /': createApplication,
  'POST addPassword': addPassword(applications),
  'POST removePassword': removePassword,
  'GET federatedIdentityCredentials': listFederated,
  'POST federatedIdentityCredentials': addFederated,
}
