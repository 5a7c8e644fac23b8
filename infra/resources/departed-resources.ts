import { getApplication } from '@pulumi/azuread'
import * as pulumi from '@pulumi/pulumi'
import { quoteValue } from '../../lib/quote.ts'
import { type CloudflareAccess, connect } from '../http.ts'
import { fieldOf, textOf } from '../json.ts'
import { types } from '../resource-names.ts'
import { defaultAccess } from './cloudflare-access.ts'
import type { Own } from './own-state.ts'

/** Where a resource is read: the path of its item, and whose token reads it. */
interface Place {
  readonly from: 'cloudflare' | 'minting' | 'gitHub'
  /** @param output returns an output as a part of a path */
  readonly path: (output: (name: string) => string, owner: string) => string
}

const inAccount = (path: string, from: Place['from'] = 'cloudflare'): Place => ({
  from,
  path: output => `/accounts/${output('accountId')}${path}/${output('id')}`,
})
const inEnvironment = (path: string, name: string): Place => ({
  from: 'gitHub',
  path: (output, owner) =>
    `/repos/${owner}/${output('repository')}/environments/${output('environment')}${path}/${output(name)}`,
})

/** What can leave the program. Entra's objects are in `registered`: the program has no token for Graph. */
const places: Readonly<Record<string, Place>> = {
  [types.accountToken]: inAccount('/tokens', 'minting'),
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

/** A registration, and what Entra deletes with it. */
const registered: readonly string[] = [types.application, types.principal, types.password, types.certificate]

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
 * @param state the resources of the last run
 */
export async function forgetGone(declared: ReadonlySet<string>, state: readonly Own[]): Promise<void> {
  const leaving = state.filter(({ type, name }) => !declared.has(`${type} ${name}`))
  const registration = leaving.find(({ type }) => type === types.application)
  const isUnregistered = registration !== undefined && (await isRegistrationGone(registration))
  const hidden = new Set<string>()
  await Promise.all(
    leaving.map(async own => {
      const isItGone = registered.includes(own.type) ? isUnregistered : await isGone(own, state, hidden)
      if (!isItGone) return
      await pulumi.log.warn(
        `${quoteValue(own.name)} (${own.type}) leaves the stack and no longer exists, so the state forgets it.`,
      )
      // A resource of the engine, with another type, takes its place in the state. The next run removes it.
      new pulumi.Stash(own.name, { input: own.urn }, { aliases: [own.urn] })
    }),
  )
  for (const repository of hidden)
    await pulumi.log.warn(
      `GitHub shows the token no repository ${quoteValue(repository)}, which has what leaves the stack. If it exists, give the token access to it. If it was deleted, run pulumi up --run-program=false.`,
    )
}

/**
 * Whether Cloudflare or GitHub says that a resource does not exist. Without an answer, the provider's own message is better.
 * @param hidden gets the repository if GitHub does not show it, because it answers 404 for that, too
 */
async function isGone({ type, outputs }: Own, state: readonly Own[], hidden: Set<string>): Promise<boolean> {
  const place = places[type]
  const { baseUrl, apiToken } = accessOf(place?.from ?? 'cloudflare')
  if (!place || apiToken === null) return false
  const provider = state.find(one => one.type === 'pulumi:providers:github')
  const path = place.path(
    name => encodeURIComponent(textOf(outputs, name) ?? ''),
    encodeURIComponent(String(fieldOf(provider?.outputs, 'owner'))),
  )
  const send = connect(baseUrl, 'The base URL', apiToken)
  const statusOf = async (from: string) => (await send(from)).status
  if ((await statusOf(path)) !== 404) return false
  if (place.from !== 'gitHub') return true
  const repository = path.split('/').slice(2, 4).join('/')
  if ((await statusOf(`/repos/${repository}`)) === 200) return true
  hidden.add(repository)
  return false
}

/** Asks by the provider, which has the deployer's credentials. */
async function isRegistrationGone({ outputs }: Own): Promise<boolean> {
  try {
    await getApplication({ objectId: textOf(outputs, 'objectId') ?? '' })
    return false
  } catch (error) {
    // The message of the azuread provider 3.8.0 (application_data_source.go).
    return /Application with object ID .* was not found/.test(String(error))
  }
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
