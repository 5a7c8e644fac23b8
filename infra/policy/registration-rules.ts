import { describeProblem } from '../../src/settings/problems.ts'
import { readRedirectUri } from '../../src/settings/redirect-uri.ts'
import { graph } from '../graph-permissions.ts'
import { fieldOf, listOf, type ResourceRule, types } from './rule.ts'

/** Resources that write parts of a registration, each wiping what another one, or the registration itself, says. */
const rivals = [
  'azuread:index/applicationRedirectUris:ApplicationRedirectUris',
  'azuread:index/applicationApiAccess:ApplicationApiAccess',
  'azuread:index/applicationOwner:ApplicationOwner',
]

export const registrationRedirects: ResourceRule = {
  name: 'registration-redirects',
  description: 'The registration has one redirect address of the form Entra keeps, under web.',
  types: [types.application],
  check({ props }) {
    const web = listOf(fieldOf(props['web'], 'redirectUris'))
    const problems = web.flatMap(uri => {
      const reading = readRedirectUri(String(uri))
      return 'value' in reading
        ? []
        : reading.problems.map(problem => `has ${String(uri)}, which ${describeProblem(problem)}`)
    })
    if (web.length !== 1)
      problems.push(`has ${web.length} redirect addresses under web. Declare the one the handler uses.`)
    for (const kind of ['singlePageApplication', 'publicClient']) {
      if (listOf(fieldOf(props[kind], 'redirectUris')).length > 0)
        problems.push(`has a redirect address under ${kind}, where no secret is asked for. Move it to web.`)
    }
    return problems
  },
}

export const registrationNarrow: ResourceRule = {
  name: 'registration-narrow',
  description: 'The registration is for one directory, asks for User.Read alone, and has no implicit grant.',
  types: [types.application],
  check({ props }) {
    const problems: string[] = []
    if (props['signInAudience'] !== 'AzureADMyOrg')
      problems.push('lets other directories sign in. Declare signInAudience: "AzureADMyOrg".')
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
      problems.push('asks for other permissions than the delegated User.Read. Ask for this one alone.')
    return problems
  },
}

export const registrationSecrets: ResourceRule = {
  name: 'registration-secrets',
  description: 'Client secrets are resources of their own, and owners are declared.',
  types: [types.application],
  check({ props }) {
    const problems: string[] = []
    if (props['password'] != null)
      problems.push('has its secret inline, which any change makes anew. Use an ApplicationPassword.')
    if (listOf(props['owners']).length === 0)
      problems.push('has no owners, and would lock out whoever deploys it. Declare the deployer.')
    return problems
  },
}

export const registrationWhole: ResourceRule = {
  name: 'registration-whole',
  description: 'Nothing else writes parts of the registration.',
  types: rivals,
  check: () => ["fights with what the registration declares. Write it into the registration's own inputs."],
}
