import type { ClientSecretPlan, SignInSettings } from '../settings/stack-settings.ts'
import { graph } from '../stack-facts.ts'

/** Returns what the program declares of the app registration. @param owners Object IDs */
export function registrationArguments<Owners>(settings: SignInSettings, owners: Owners) {
  return {
    displayName: settings.displayName,
    signInAudience: 'AzureADMyOrg',
    owners,
    // Inline only: separate resources for redirects or permissions erase what is declared here.
    web: {
      redirectUris: [...settings.redirectUris],
      implicitGrant: { accessTokenIssuanceEnabled: false, idTokenIssuanceEnabled: false },
    },
    requiredResourceAccesses: [
      { resourceAppId: graph.appId, resourceAccesses: [{ id: graph.userRead, type: 'Scope' }] },
    ],
  }
}

/** Returns what the program declares of its service principal. */
export function principalArguments<Owners>(settings: SignInSettings, owners: Owners) {
  return { owners, appRoleAssignmentRequired: settings.requireAssignment }
}

/** Returns what the program declares of a client secret. */
export function passwordArguments({ slot, rotatedOn, endsOn }: ClientSecretPlan) {
  return { displayName: `homeport ${slot}`, endDate: endsOn, rotateWhenChanged: { rotatedOn } }
}
