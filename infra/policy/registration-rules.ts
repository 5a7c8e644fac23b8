import { describeProblem } from '../../src/settings/problems.ts'
import { readRedirectUri } from '../../src/settings/redirect-uri.ts'
import { fieldOf, listOf } from '../json.ts'
import { graph, types } from '../stack-facts.ts'
import { otherInputs } from './declared-rules.ts'
import type { ResourceRule } from './rule.ts'

export const registrationRedirects: ResourceRule = {
  name: 'registration-redirects',
  description: 'The registration has redirect URIs, in a form that Entra keeps.',
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

/** What the program declares, and under `web`. */
const inputs = ['displayName', 'signInAudience', 'owners', 'web', 'requiredResourceAccesses']
const webInputs = ['redirectUris', 'implicitGrant']

export const registrationInputs: ResourceRule = {
  name: 'registration-inputs',
  description: 'The registration declares its owners, and nothing that lets anybody else act as it.',
  types: [types.application],
  check({ props }) {
    const web = Object(props['web'])
    const more = [...otherInputs(props, inputs), ...otherInputs(web, webInputs).map(input => `web.${input}`)]
    return [
      ...(more.length === 0
        ? []
        : [`declares ${more.join(', ')}, which the sign-in does not need. Remove it.`]),
      ...(listOf(props['owners']).length > 0
        ? []
        : ['has no owners, which locks out the deployer. Declare the deployer as an owner.']),
    ]
  },
}
