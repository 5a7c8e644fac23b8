import type { CertificatePlan, ClientSecretPlan, SignInSettings } from '../settings/stack-settings.ts'

/** Microsoft Graph, the only permission that the stack requests, and those that CI needs to deploy and to compare it. */
export const graph = {
  appId: '00000003-0000-0000-c000-000000000000',
  /** Delegated User.Read: a user's own profile. */
  userRead: 'e1fe6dd8-ba31-4d61-89e7-88639da4683d',
  /** The application permission Application.ReadWrite.OwnedBy. */
  readWriteOwnedBy: '18a4783c-866b-4cc7-a460-3d5e5662c884',
  /** The application permission Application.Read.All. */
  readAll: '9a5d68dd-52b0-4cc2-bd40-abcf44ac3a30',
} as const

/** Returns what the program declares for the app registration. @param owners Object IDs */
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

/** Returns what the program declares for its service principal. */
export function principalArguments<Owners>(settings: SignInSettings, owners: Owners) {
  return { owners, appRoleAssignmentRequired: settings.requireAssignment }
}

/** Returns what the program declares for a client secret. */
export function passwordArguments({ slot, rotatedOn, endsOn }: ClientSecretPlan) {
  return { displayName: `homeport ${slot}`, endDate: endsOn, rotateWhenChanged: { rotatedOn } }
}

/** Returns what the program declares for a certificate. Its key goes to the handler alone. */
export function certificateArguments({ der, endsOn }: CertificatePlan) {
  const value = Buffer.from(der).toString('base64')
  return { type: 'AsymmetricX509Cert', encoding: 'base64', value, endDate: endsOn }
}
