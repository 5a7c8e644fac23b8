import * as pulumi from '@pulumi/pulumi'
import { exchange, requireSafeUrl } from '../http.ts'
import { fieldOf, textOf } from '../json.ts'
import { shown } from '../shown.ts'
import { types } from '../stack-facts.ts'
import { type CloudflareAccess, defaultAccess } from './cloudflare-access.ts'
import { type Own, readOwnState } from './own-state.ts'

/** Where a resource is read: the path of its item, and whose token reads it. */
interface Place {
  readonly from: 'cloudflare' | 'minting' | 'gitHub'
  /** @param output returns an output as a part of a path */
  readonly path: (output: (name: string) => string, owner: string) => string
}

const inAccount = (path: string, name = 'id', from: Place['from'] = 'cloudflare'): Place => ({
  from,
  path: output => `/accounts/${output('accountId')}${path}/${output(name)}`,
})
const inEnvironment = (path: string, name: string): Place => ({
  from: 'gitHub',
  path: (output, owner) =>
    `/repos/${owner}/${output('repository')}/environments/${output('environment')}${path}/${output(name)}`,
})

/** What can leave the program. Entra's objects are not here: the program has no token for Graph. */
const places: Readonly<Record<string, Place>> = {
  [types.accountToken]: inAccount('/tokens', 'id', 'minting'),
  [types.userToken]: { from: 'minting', path: output => `/user/tokens/${output('id')}` },
  [types.database]: inAccount('/d1/database'),
  [types.domain]: inAccount('/workers/domains'),
  [types.script]: {
    from: 'cloudflare',
    path: output => `/accounts/${output('accountId')}/workers/services/${output('scriptName')}`,
  },
  [types.environmentSecret]: inEnvironment('/secrets', 'secretName'),
  [types.environmentVariable]: inEnvironment('/variables', 'variableName'),
}

/**
 * Returns what the program declares, as `TYPE NAME`, which grows while it runs. Call it before anything is declared: a stack
 * transformation sees every resource.
 */
export function watchDeclared(): ReadonlySet<string> {
  const declared = new Set<string>()
  pulumi.runtime.registerStackTransformation(({ type, name }) => {
    declared.add(`${type} ${name}`)
    return undefined
  })
  return declared
}

/**
 * Takes what leaves the program, and no longer exists, out of the state. A refresh with the program reads only what it declares,
 * and every provider here fails to delete what answers 404, so each further run would fail (seen with 3.259.0). Call it last.
 */
export async function forgetGone(declared: ReadonlySet<string>): Promise<void> {
  // If the state cannot be read, `refuseLosses` says so.
  const state = await readOwnState().catch((): readonly Own[] => [])
  const leaving = state.filter(({ type, name }) => places[type] && !declared.has(`${type} ${name}`))
  await Promise.all(
    leaving.map(async own => {
      if (!(await isGone(own, state))) return
      await pulumi.log.warn(
        `${shown(own.name)} (${own.type}) leaves the stack and no longer exists, so the state forgets it.`,
      )
      // A resource of the engine, with another type, takes its place in the state. The next run removes it.
      new pulumi.Stash(own.name, { input: own.urn }, { aliases: [own.urn] })
    }),
  )
}

/** Whether the service says that a resource does not exist. Without an answer, the provider's own message is better. */
async function isGone({ type, outputs }: Own, state: readonly Own[]): Promise<boolean> {
  const place = places[type]
  const { baseUrl, apiToken } = accessOf(place?.from ?? 'cloudflare')
  if (!place || apiToken === null) return false
  const provider = state.find(one => one.type === 'pulumi:providers:github')
  const path = place.path(
    name => encodeURIComponent(textOf(outputs, name) ?? ''),
    encodeURIComponent(String(fieldOf(provider?.outputs, 'owner'))),
  )
  const headers = { authorization: `Bearer ${apiToken}`, 'user-agent': 'homeport' }
  const { status } = await exchange(requireSafeUrl(baseUrl, 'The base URL') + path, { headers })
  return status === 404
}

/** Returns what the provider of a place uses. */
function accessOf(from: Place['from']): CloudflareAccess {
  const own = defaultAccess()
  if (from === 'cloudflare') return own
  if (from === 'minting') {
    const token = pulumi.runtime.getConfig(`${pulumi.getProject()}:mintingApiToken`)
    return { ...own, apiToken: token?.trim() || null }
  }
  const { GITHUB_BASE_URL: baseUrl, GITHUB_TOKEN: token } = process.env
  return {
    baseUrl: pulumi.runtime.getConfig('github:baseUrl') ?? (baseUrl || 'https://api.github.com'),
    apiToken: pulumi.runtime.getConfig('github:token') ?? (token || null),
  }
}
