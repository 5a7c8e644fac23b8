import { handedOver } from '../../infra/settings/handed-over.ts'
import { CommandError } from '../../lib/command.ts'
import { quote } from '../../lib/quote.ts'
import type { FullDescription } from '../../sandbox/sandbox.ts'
import { ask, askOrThrow, graphToken } from './services.ts'

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

/** What a service lists. */
interface Listed {
  readonly id?: string
  readonly appId?: string
  readonly name?: string
  readonly displayName?: string
  readonly type?: string
  readonly web?: { readonly redirectUris: readonly string[] }
}

interface Found {
  readonly kind: string
  readonly name: string
  readonly isOurs: boolean
  readonly what: string
  remove(): Promise<unknown>
}

/** Lists what is in the accounts, where a scenario or a rehearsal could create something. */
async function findAll({ cloudflare: at, github, entra }: Accounts) {
  const found: (Listed & Found)[] = []
  async function list(kind: string, url: string, token: string, field: string, query = ''): Promise<void> {
    for (const one of (await askOrThrow('GET', url + query, token))[field] as readonly Listed[]) {
      const name = one.name ?? one.displayName ?? ''
      const isNamed = name.split('.').some(part => part.startsWith(prefix))
      const isOurs = isNamed || (kind === 'hand-over' && Object.values<string>(handedOver).includes(name))
      const what = `the ${[one.type ?? [], kind].flat().join(' ')} ${quote(name)}`
      const remove = () => askOrThrow('DELETE', `${url}/${one.id ?? name}`, token)
      found.push({ ...one, kind, name, isOurs, what, remove })
    }
  }
  const tokens = `${at.apiUrl}/accounts/${at.accountId}/tokens`
  const environment = `repos/${github?.owner}/${github?.repository}/environments/${prefix}`
  await list(
    'record',
    `${at.apiUrl}/zones/${at.zoneId}/dns_records`,
    at.adminToken,
    'result',
    '?per_page=5000',
  )
  // A token for records only cannot list tokens, and has created none.
  if ((await ask('GET', tokens, at.adminToken)).status === 200)
    await list('token', tokens, at.adminToken, 'result')
  if (entra)
    await list('application', `${entra.graphUrl}/v1.0/applications`, await graphToken(entra), 'value')
  if (github)
    for (const kind of ['secrets', 'variables'])
      await list('hand-over', `${github.baseUrl}${environment}/${kind}`, github.token, kind)
  return found
}

/** Lists what scenarios and rehearsals created and did not remove. */
export const findLeft = async (accounts: Accounts) => (await findAll(accounts)).filter(({ isOurs }) => isOurs)

/** Removes what scenarios and rehearsals created. Resolves to what it was. */
export async function removeLeft(accounts: Accounts): Promise<readonly string[]> {
  const left = await findLeft(accounts)
  for (const { remove } of left) await remove()
  return left.map(({ what }) => what)
}

/**
 * Refuses accounts in which somebody could lose something, before the first write.
 * @throws CommandError that names it
 */
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
  const isForeign = ({ kind, isOurs, appId }: Listed & Found) =>
    !isOurs && (kind === 'record' || (kind === 'application' && appId !== entra?.deployer.clientId))
  const foreign = (await findAll(accounts)).find(isForeign)
  const place = foreign?.kind === 'record' ? `zone ${at.zoneName}` : `tenant ${entra?.tenantId}`
  if (foreign) throw new CommandError(`The ${place} has ${foreign.what} of somebody. Use an empty one.`)
}

/** Says what a run that broke left, and how to remove it. @param created what to name if the services do not answer */
export async function explainLeft(accounts: Accounts, created: Iterable<string>): Promise<string> {
  const left = await findLeft(accounts).then(
    found => found.map(({ what }) => what),
    () => [...created],
  )
  return left.length === 0
    ? 'Nothing is left.'
    : `Left: ${left.join(', ')}. Remove it: npm run test:real -- --clean`
}
