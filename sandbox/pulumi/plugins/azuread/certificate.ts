import { randomUUID } from 'node:crypto'
import { asList, asProperties, type Properties, pick, text } from '../../properties.ts'
import type { Resource } from '../resource.ts'
import { applicationPath, objectIdOf } from './application.ts'
import type { AzureAd } from './client.ts'

const credentialsOf = (application: Properties): readonly Properties[] =>
  asList(application['keyCredentials']).map(asProperties)

/** Reads `<application>/certificate/<key>`. */
const [objectOf, keyIdOf] = [0, 2].map(at => (id: string) => id.split('/')[at] ?? '') as [
  (id: string) => string,
  (id: string) => string,
]

let last: Promise<unknown> = Promise.resolve()

/** Changes the list of an application, one change after the other, as the real provider's lock has it. */
function change(client: AzureAd, path: string, next: (list: readonly Properties[]) => readonly Properties[]) {
  const done = last
    .catch(() => undefined)
    .then(async () => {
      const found = await client.call({ method: 'GET', path })
      const keyCredentials = [...next(credentialsOf(found))]
      await client.call({ method: 'PATCH', path, json: { keyCredentials } })
    })
  last = done
  return done
}

/** A certificate of an application. It cannot be updated. */
export const applicationCertificate: Resource<AzureAd> = {
  // application_certificate_resource.go: every input is ForceNew.
  replaceOn: 'all',
  computed: ['keyId', 'startDate', 'endDate'],
  create: async (client, inputs) => {
    const objectId = objectIdOf(text(inputs['applicationId']))
    const keyId = randomUUID()
    const pem = `-----BEGIN CERTIFICATE-----\n${text(inputs['value'])}\n-----END CERTIFICATE-----\n`
    const { type = null, startDate, endDate } = inputs
    const added: Properties = {
      keyId,
      type,
      usage: 'Verify',
      key: Buffer.from(pem).toString('base64'),
      ...(startDate === undefined ? {} : { startDateTime: startDate }),
      ...(endDate === undefined ? {} : { endDateTime: endDate }),
    }
    await change(client, applicationPath(objectId), list => [...list, added])
    return { id: `${objectId}/certificate/${keyId}`, state: { ...inputs, keyId } }
  },
  path: id => applicationPath(objectOf(id)),
  read: (served, id, { inputs, state }) => {
    const found = credentialsOf(served).find(one => one['keyId'] === keyIdOf(id))
    if (!found) return null
    const live: Properties = {
      startDate: found['startDateTime'] ?? null,
      endDate: found['endDateTime'] ?? null,
    }
    return { id, inputs: { ...inputs, ...pick(live, Object.keys(inputs)) }, state: { ...state, ...live } }
  },
  // An application that is gone is an error; a certificate that is gone is none.
  delete: async (client, id) => {
    await change(client, applicationPath(objectOf(id)), list =>
      list.filter(one => one['keyId'] !== keyIdOf(id)),
    )
  },
}
