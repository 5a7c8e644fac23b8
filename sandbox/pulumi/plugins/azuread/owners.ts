import { asList, type Json, type Properties, text } from '../../properties.ts'
import type { AzureAd } from './client.ts'

/** Resolves to the sorted object IDs of the owners of an application or a service principal. */
export const readOwners = async (client: AzureAd, path: string): Promise<string[]> =>
  (await client.list(`${path}/owners`)).map(owner => text(owner['id'])).sort()

/** Removes the creator, whom Graph adds as an owner, unless the program declares them. */
export async function dropCreator(client: AzureAd, path: string, owners: Json | undefined): Promise<void> {
  const { objectId } = await client.whoAmI()
  if (asList(owners).includes(objectId)) return
  await client.call({ method: 'DELETE', path: `${path}/owners/${objectId}/$ref` })
}

/** Resolves to the field by which a new object gets owners, or to nothing without owners. */
export async function ownerReferences(client: AzureAd, owners: Json | undefined): Promise<Properties> {
  const urls = await Promise.all(asList(owners).map(owner => client.objectUrl(text(owner))))
  return urls.length === 0 ? {} : { 'owners@odata.bind': urls }
}

/** Adds missing owners, then removes the others. */
export async function writeOwners(client: AzureAd, path: string, owners: Json | undefined): Promise<void> {
  if (owners === undefined) return
  const present = await readOwners(client, path)
  const wanted = asList(owners).map(text)
  for (const owner of wanted.filter(id => !present.includes(id))) {
    const json = { '@odata.id': await client.objectUrl(owner) }
    await client.call({ method: 'POST', path: `${path}/owners/$ref`, json })
  }
  for (const owner of present.filter(id => !wanted.includes(id))) {
    await client.call({ method: 'DELETE', path: `${path}/owners/${owner}/$ref` })
  }
}

/** Returns the declared owners if they match the actual ones in any order, otherwise the actual ones. */
export function ownersIn(declared: Json | undefined, found: readonly string[]): Json | undefined {
  if (declared === undefined) return undefined
  const same = [...asList(declared).map(text)].sort().join() === found.join()
  return same ? declared : found
}
