import { describeProblem } from '../../src/settings/problems.ts'
import { readRedirectUri } from '../../src/settings/redirect-uri.ts'
import { fieldOf, listOf } from '../json.ts'
import { graph, types } from '../stack-facts.ts'
import type { ResourceRule } from './rule.ts'

/** Resources that write parts of a registration. Each erases what the others or the registration declare. */
const rivals = [
  'azuread:index/applicationRedirectUris:ApplicationRedirectUris',
  'azuread:index/applicationApiAccess:ApplicationApiAccess',
  'azuread:index/applicationOwner:ApplicationOwner',
]

export const registrationRedirects: ResourceRule = {
  name: 'registration-redirects',
  description: 'The registration has redirect URIs under web only, in a form that Entra keeps.',
  types: [types.application],
  check({ props }) {
    const web = listOf(fieldOf(props['web'], 'redirectUris'))
    const problems = web.flatMap(uri => {
      const reading = readRedirectUri(String(uri), '')
      if ('value' in reading) return []
      // Which paths the handler takes depends on its base path, which is not part of the registration.
      return reading.problems
        .filter(({ code }) => code !== 'redirect-taken')
        .map(problem => `has the redirect URI ${String(uri)}, which ${describeProblem(problem)}`)
    })
    if (web.length === 0) problems.push('has no redirect URI under web. Declare those that the handler uses.')
    for (const kind of ['singlePageApplication', 'publicClient']) {
      if (listOf(fieldOf(props[kind], 'redirectUris')).length > 0)
        problems.push(`has a redirect URI under ${kind}, where Entra requires no secret. Move it to web.`)
    }
    return problems
  },
}

export const registrationNarrow: ResourceRule = {
  name: 'registration-narrow',
  description: 'The registration is for one tenant, requests only User.Read, and has no implicit grant.',
  types: [types.application],
  check({ props }) {
    const problems: string[] = []
    if (props['signInAudience'] !== 'AzureADMyOrg')
      problems.push('lets users of other tenants sign in. Declare signInAudience: "AzureADMyOrg".')
    const grant = fieldOf(props['web'], 'implicitGrant')
    for (const name of ['accessTokenIssuanceEnabled', 'idTokenIssuanceEnabled']) {
      if (fieldOf(grant, name) !== false)
        problems.push(`may issue tokens without a code. Declare implicitGrant.${name}: false.`)
    }
    const asked = listOf(props['requiredResourceAccesses']).flatMap(access =>
      listOf(fieldOf(access, 'resourceAccesses')).map(
        one => `${fieldOf(access, 'resourceAppId')} ${fieldOf(one, 'id')} ${fieldOf(one, 'type')}`,
      ),
    )
    if (asked.length !== 1 || asked[0] !== `${graph.appId} ${graph.userRead} Scope`)
      problems.push('requests other permissions than the delegated User.Read. Request only this one.')
    return problems
  },
}

export const registrationSecrets: ResourceRule = {
  name: 'registration-secrets',
  description: 'Client secrets are separate resources, and owners are declared.',
  types: [types.application],
  check({ props }) {
    const problems: string[] = []
    if (props['password'] != null)
      problems.push('has an inline secret, which every change replaces. Use an ApplicationPassword.')
    if (listOf(props['owners']).length === 0)
      problems.push('has no owners, which locks out the deployer. Declare the deployer as an owner.')
    return problems
  },
}

export const registrationWhole: ResourceRule = {
  name: 'registration-whole',
  description: 'No other resource writes parts of the registration.',
  types: rivals,
  check: () => ["conflicts with what the registration declares. Declare it in the registration's inputs."],
}
