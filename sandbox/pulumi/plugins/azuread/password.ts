import { setTimeout as pause } from 'node:timers/promises'
import { asList, asProperties, type Properties, pick, text } from '../../properties.ts'
import type { Resource } from '../resource.ts'
import { RestError, unlessGone } from '../rest.ts'
import { applicationPath, objectIdOf } from './application.ts'
import type { AzureAd } from './client.ts'

/** How many answers in a row must contain a new password (observed). */
const sightings = 5
const maxLooks = 50
const pauseMs = 10

const passwordIn = (application: Properties, keyId: string): Properties | null =>
  asList(application['passwordCredentials'])
    .map(asProperties)
    .find(password => password['keyId'] === keyId) ?? null

/** Reads `<application>/password/<key>`. */
const keyIdOf = (id: string): string => id.split('/')[2] ?? ''

async function until(client: AzureAd, path: string, keyId: string, present: boolean): Promise<void> {
  let row = 0
  for (let look = 0; look < maxLooks; look += 1) {
    const served = await unlessGone(client.call({ method: 'GET', path }))
    const shows = served !== null && passwordIn(served, keyId) !== null
    row = shows === present ? row + 1 : 0
    if (row === sightings) return
    await pause(pauseMs)
  }
  throw new RestError(`The password ${keyId} of ${path} ${present ? 'did not appear' : 'did not disappear'}.`)
}

/** A client secret. It cannot be updated, and only its creation returns the value. */
export const applicationPassword: Resource<AzureAd> = {
  // application_password_resource.go: every input is ForceNew. Times are compared as text, so another spelling of the
  // same time replaces the secret.
  replaceOn: 'all',
  computed: ['keyId', 'value', 'startDate', 'endDate', 'displayName'],
  create: async (client, inputs) => {
    const objectId = objectIdOf(text(inputs['applicationId']))
    const path = applicationPath(objectId)
    await client.call({ method: 'GET', path })
    const { displayName, startDate, endDate } = inputs
    const passwordCredential = {
      ...(displayName === undefined ? {} : { displayName }),
      ...(startDate === undefined ? {} : { startDateTime: startDate }),
      ...(endDate === undefined ? {} : { endDateTime: endDate }),
    }
    const made = await client.call({
      method: 'POST',
      path: `${path}/addPassword`,
      json: { passwordCredential },
    })
    const keyId = text(made['keyId'])
    await until(client, path, keyId, true)
    const state = {
      ...inputs,
      displayName: displayName ?? made['displayName'] ?? null,
      keyId,
      value: made['secretText'] ?? null,
      startDate: startDate ?? made['startDateTime'] ?? null,
      endDate: endDate ?? made['endDateTime'] ?? null,
    }
    return { id: `${objectId}/password/${keyId}`, state }
  },
  path: id => applicationPath(id.split('/')[0] ?? ''),
  read: (served, id, { inputs, state }) => {
    const password = passwordIn(served, keyIdOf(id))
    if (password === null) return null
    const live: Properties = {
      ...pick(password, ['displayName']),
      startDate: password['startDateTime'] ?? null,
      endDate: password['endDateTime'] ?? null,
    }
    const refreshed = { ...inputs, ...pick(live, Object.keys(inputs)) }
    return { id, inputs: refreshed, state: { ...state, ...live } }
  },
  // application_password_resource.go, 3.8.0: an error of removePassword is returned, also for a password or an application that is gone.
  delete: async (client, id) => {
    const path = applicationPath(id.split('/')[0] ?? '')
    const json = { keyId: keyIdOf(id) }
    await client.call({ method: 'POST', path: `${path}/removePassword`, json })
    await until(client, path, keyIdOf(id), false)
  },
}
