import { handedOver } from '../../infra/settings/handed-over.ts'
import { CommandError } from '../../lib/command.ts'
import { quote } from '../../lib/quote.ts'
import type { FullDescription } from '../../sandbox/sandbox.ts'
import { runAction } from '../support/runner.ts'
import { ask, askOrThrow, graphToken } from '../support/services.ts'

/** In the names of all that is created, and the name of the environment at GitHub. */
export const prefix = 'homeport-check'

/** Somebody's accounts. Without a repository or a tenant, nothing is asked there. */
export interface Accounts extends Partial<Pick<FullDescription, 'github' | 'entra' | 'nameServer'>> {
  readonly cloudflare: Omit<FullDescription['cloudflare'], 'baseUrl' | 'httpsUrl' | 'dnsToken'>
  /** A token with DNS Edit on the zone that may not list zones. */
  readonly narrowToken?: string
  /** The certificate authority of a double in place of the services. */
  readonly ca?: string
}

/** Runs the action on the zone of accounts. */
export const act = ({ cloudflare: at }: Accounts, inputs: Readonly<Record<string, string>>) =>
  runAction({
    'api-token': at.adminToken,
    'zone-id': at.zoneId,
    'base-url': at.apiUrl,
    'allow-reserved-address': 'true',
    'mask-address': 'false',
    ...inputs,
  })

/** What is listed of something in accounts. */
interface Listed {
  readonly id?: string
  readonly appId?: string
  readonly name?: string
  readonly displayName?: string
  readonly type?: string
  readonly web?: { readonly redirectUris: readonly string[] }
}

/** Lists what is in the accounts, where a scenario or a rehearsal could create something. */
async function findAll({ cloudflare: at, github, entra }: Accounts) {
  const tokens = `${at.apiUrl}/accounts/${at.accountId}/tokens`
  const environment = `${github?.baseUrl}repos/${github?.owner}/${github?.repository}/environments/${prefix}`
  const graph = entra ? await graphToken(entra) : ''
  // A token for records only cannot list tokens, and has created none.
  const mayMint = (await ask('GET', tokens, at.adminToken)).status === 200
  const places: readonly (readonly [kind: string, url: string, token: string, field: string, is: boolean])[] =
    [
      ['record', `${at.apiUrl}/zones/${at.zoneId}/dns_records`, at.adminToken, 'result', true],
      ['token', tokens, at.adminToken, 'result', mayMint],
      ['application', `${entra?.graphUrl}/v1.0/applications`, graph, 'value', entra !== undefined],
      ['secret', `${environment}/secrets`, github?.token ?? '', 'secrets', github !== undefined],
      ['variable', `${environment}/variables`, github?.token ?? '', 'variables', github !== undefined],
    ]
  const found = places.map(async ([kind, url, token, field, is]) => {
    const listed = is ? ((await askOrThrow('GET', url, token))[field] as readonly Listed[]) : []
    return listed.map(one => {
      const name = one.name ?? one.displayName ?? ''
      const isOurs =
        Object.values<string>(handedOver).includes(name) ||
        name.split('.').some(part => part.startsWith(prefix))
      const what = `the ${[one.type ?? [], kind].flat().join(' ')} ${quote(name)}`
      return { ...one, kind, name, isOurs, what, url: `${url}/${one.id ?? name}`, token }
    })
  })
  return (await Promise.all(found)).flat()
}

/** Lists what scenarios and rehearsals created and did not remove. */
export const findLeft = async (accounts: Accounts) => (await findAll(accounts)).filter(({ isOurs }) => isOurs)

/** Removes what scenarios and rehearsals created. Resolves to what it was. */
export async function removeLeft(accounts: Accounts): Promise<readonly string[]> {
  const left = await findLeft(accounts)
  for (const { url, token } of left) await askOrThrow('DELETE', url, token)
  return left.map(({ what }) => what)
}

/** Refuses accounts in which somebody could lose something. @throws CommandError that names it, before the first write */
export async function refuseProduction(accounts: Accounts, mayMint: boolean): Promise<void> {
  const { cloudflare: at, entra } = accounts
  const narrower = `Create one for ${quote(at.zoneName)} only.`
  // A token for one zone is often refused a list of all.
  const zones = (await ask('GET', `${at.apiUrl}/zones?per_page=50`, at.adminToken)).body['result'] ?? []
  const other = (zones as readonly Listed[]).find(({ id }) => id !== at.zoneId)?.name
  if (other !== undefined)
    throw new CommandError(`The token may see another zone, ${quote(other)}. ${narrower}`)
  for (const path of mayMint ? [] : ['/user/tokens', `/accounts/${at.accountId}/tokens`])
    if ((await ask('GET', at.apiUrl + path, at.adminToken)).status === 200)
      throw new CommandError(`The token may read or create tokens. ${narrower}`)
  const foreign = (await findAll(accounts)).find(
    ({ kind, isOurs, appId }) =>
      !isOurs && (kind === 'record' || (kind === 'application' && appId !== entra?.deployer.clientId)),
  )
  const place = foreign?.kind === 'record' ? `zone ${at.zoneName}` : `tenant ${entra?.tenantId}`
  if (foreign) throw new CommandError(`The ${place} has ${foreign.what} of somebody. Use an empty one.`)
}

/** Says what a run that broke left, and how to remove it. @param created what to name if the services do not answer */
export async function explainLeft(accounts: Accounts, created: readonly string[]): Promise<string> {
  const found = await findLeft(accounts).catch(() => null)
  const left = found?.map(({ what }) => what) ?? created
  return left.length === 0
    ? 'Nothing is left.'
    : `Left: ${left.join(', ')}. Remove it: npm run test:real -- --clean`
}
